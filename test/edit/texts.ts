/**
 * texts: configuration files as people write them, in every format, for the tests of editing.
 */
import type { EditFormat } from '../../src/edit/edit.ts'

export const TEXTS: Readonly<Record<EditFormat, readonly string[]>> = {
  jsonc: [
    '{}',
    '{}\n',
    '{ }',
    '{\n}\n',
    '{"mcpServers":{}}',
    '{"mcpServers":{"a":{"command":"x","args":["y","z"]},"b":{}}}',
    '// top\n{\n\t"enabled": true // on\n}\n',
    '{\r\n  "mcpServers": {\r\n    "a": { "command": "x" }, // one\r\n    /* two */ "b": { "url": "y" }\r\n  }\r\n}',
    '{\n    "a": [\n        1, // one\n        2\n        // three\n    ],\n    "b": { "c": null, },\n}\n',
    '{ "a": { /* nothing, yet */ }, "b": [ /* none */ ], "c": [[], {}] }\n',
    '{\n  "a.b": { "__proto__": { "x": 1 }, "constructor": 2 },\n  "ключ": "значение",\n  "\\u0061": 3\n}\n',
    '/* a\n   b */ {\n  // c\n\n  "mcpServers": {\n\n    "a": {\n      "env": { "K": "//no comment" },\n    },\n\n    // d\n  },\n\n  "z": 0, "y": 1\n}\n// end\n',
  ],
  toml: [
    '',
    '# only a comment\n',
    'a = 1\n',
    'a = 1 # one\n\n[b]\nc = "x"',
    '# top\n\n[mcp_servers.a]\ncommand = "x" # why\nargs = ["y", "z"]\n\n# about b\n[mcp_servers.b]\nurl = \'C:\\x\'\n[mcp_servers.b.env]\nK = "v"\n\n[other]\n',
    'a.b.c = 1\na.b.d = 2\nz = { p = 1, q.r = [1, 2], "s t" = {} }\n\n[x]\ny.z = true\n',
    '[permissions]\nmode = "plan"\n\n[[permissions.rules]]\ntool = "a"\n\n[[permissions.rules]]\ntool = "b" # b\n[permissions.rules.more]\nx = 1\n\n[z]\nk = 1\n',
    'list = [\n  1, # one\n  2,\n  # three\n]\n\n[t] # t\n# nothing in it\n\n[u]\n"a.b" = 1\n"__proto__" = { x = 2 }\nd = 2024-01-01\n',
    '[a]\r\nb = 1\r\n\r\n[a.c]\r\nd = """\r\nx\r\ny"""\r\n\r\n[e.f.g]\r\nh = inf\r\n',
    '  [i]\n    [i.j]\n    k = 1\n    # l\n\n    [i.m]\n',
    'e = []\nf = [ # none\n]\ng = {}\n[[h]]\n[[h]]\n[h.i]\n[[h.i.j]]\nk = 1\n',
  ],
  yaml: [
    '',
    '# only a comment\n',
    '---\n',
    '{}\n',
    'a: 1',
    'a: 1\nb:\n',
    '# top\nextensions:\n  a:\n    cmd: x # why\n    args:\n      - y\n      - "z"\n    envs: {}\n  # b:\n  #   cmd: q\n\n# about other\nother: true\n',
    'a:\n- x: 1\n  y: 2 # two\n- z\n- - p\n  - q\nb: { p: 1, q: [1, 2], r: {} }\nc: |\n  text\n  more\n\nd: "e: f"\n',
    'a: &m\n  k: 1\n  l: [x, y]\nb: *m\nc: &unused\n  d: 1\ne: !!str 5\n',
    '---\r\na:\r\n    b: 1\r\n    c: # why\r\n        d: 2\r\n    e: >-\r\n        folded\r\n        text\r\n...\r\n',
    '? a\n: 1\n"q k" : 2\n1: one\ntrue: yes\n__proto__:\n  x: 1\nключ: значение\n',
    '{ "a": { "b": 1 }, "c": [\n  1, # one\n  2,\n] }\n',
    'servers:\n  a: {}\n  b:\n    # nothing\n  c: ~\n  d: []\nlast:\n  only: 1\n',
  ],
}
