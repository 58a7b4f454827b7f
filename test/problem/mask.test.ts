/**
 * mask: which parts of a line people see when it is quoted.
 */
import { describe, expect, test } from 'vitest'
import { parseText, type Format } from '../../src/pipeline/discover/formats/parse-text.ts'
import { unparseable } from '../../src/pipeline/discover/problems.ts'
import { maskSecrets } from '../../src/problem/mask.ts'

const HUSH = 'hush4711'

test.each([
  ['      "command": ["npx", "-y", "@acme/files"],', '      "command": ["npx", "-y", "@acme/files"],'],
  ['"env": { "TOKEN": "abc", "N": 5, "B": true },,', '"env": { "TOKEN": "•••", "N": 5, "B": true },,'],
  ['"env": { "TOKEN": ["abc"] }', '"env": { "TOKEN": ["•••"] }'],
  ['  "abc" "def"', '  "•••" "•••"'],
  ['"command": "npx" "args": ["x"]', '"command": "npx" "args": ["x"]'],
  ['"args": ["--api-key", "abc", "--token=abc"]', '"args": ["--api-key", "•••", "--token=•••"]'],
  ['"args": ["-H", "A: abc", "K=abc", "plain"]', '"args": ["-H", "•• •••", "K=•••", "plain"]'],
  ['"url": "https://me:abc@host.test/mcp?k=abc"', '"url": "https://••••••@host.test/mcp?•••••"'],
  ['"url": "me:abc@host"', '"url": "•••••••••••"'],
  ['"headers": { "A": "Bearer ${TOKEN}" }', '"headers": { "A": "•••••• ${TOKEN}" }'],
  ['"env": { "A": "${TOKEN:-abc}" }', '"env": { "A": "•••••••••••••" }'],
  ['command = "npx --token abc" # abc', 'command = "npx --token •••" • •••'],
  ['cmd: npx --token abc -y', 'cmd: npx --token ••• -y'],
  ['TOKEN = "abc', 'TOKEN = "•••'],
  ['TOKEN: abc and: more', 'TOKEN: ••• •••• ••••'],
  ['- YWJj==', '- ••••=='],
  ['YWJj=', '••••='],
  ['[mcp_servers.github.env]', '[mcp_servers.github.env]'],
  ['"type": stdoi', '"type": stdoi'],
  ['// TOKEN=abc', '•• •••••=•••'],
])('%s', (line, masked) => {
  expect(maskSecrets(line)).toBe(masked)
})

test('a line of a megabyte takes no time', () => {
  const before = performance.now()
  expect(maskSecrets('a'.repeat(1_000_000))).toBe('•'.repeat(1_000_000))
  expect(performance.now() - before).toBeLessThan(1000)
})

describe('wherever a file breaks, the quoted line keeps its secrets', () => {
  const filler = 'x'.repeat(3000)
  const texts: Readonly<Record<string, readonly [Format, string]>> = {
    JSON: [
      'json',
      `{"a":{"command":"npx","args":["--token","${HUSH}"],"env":{"T":"${HUSH}","U":"it's \\"${HUSH}\\""}}}`,
    ],
    'JSON in one long line': ['json', `{"x":"${filler}","a":{"env":{"T":"${HUSH}","U":"${HUSH}"}},"b":[1]}`],
    TOML: ['toml', `[a]\nenv = { T = "${HUSH}", U = '${HUSH}' }\nargs = ["--token", "${HUSH}"]\n`],
    YAML: ['yaml', `a:\n  env: {T: "${HUSH}", U: '${HUSH}', V: ${HUSH}}\n  args: [--token, ${HUSH}]\n`],
  }
  test.each(Object.entries(texts))('%s', async (_, [format, text]) => {
    const leaks: string[] = []
    for (
      let at = text.indexOf(filler) === -1 ? 0 : text.indexOf(filler) + filler.length;
      at <= text.length;
      at++
    ) {
      for (const garbage of [',', '"', "'", '}', ']', ' oops ', '\n', '\\', ':']) {
        const broken = text.slice(0, at) + garbage + text.slice(at)
        const parsed = await parseText(broken, format)
        if (parsed.kind !== 'fault') continue
        const { message, where } = unparseable({ file: 'f', text: broken }, parsed, { format })
        // What the garbage cut in two is no secret any more.
        const shown = `${message}\n${where?.excerpt?.text}`
        if (shown.includes(HUSH)) leaks.push(`${at} ${garbage}: ${shown}`)
      }
    }
    expect(leaks).toEqual([])
  })
})
