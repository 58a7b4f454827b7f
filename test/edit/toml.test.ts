/**
 * toml: tables stay tables, inline tables inline, dotted keys dotted; comments stay.
 */
import { describe, expect, test } from 'vitest'
import type { Change, Path, Value } from '../../src/edit/change.ts'
import { edit } from '../../src/edit/edit.ts'

const TEXT = `# my Codex
model = "x" # for now

[mcp_servers.docs] # the guide
command = "npx"
args = ["-y", "docs"] # latest

[mcp_servers.docs.env]
KEY = "a"
# OTHER = "b"

# sentry, too
[mcp_servers.sentry]
url = "https://sentry.test"
tools.read = true
limits = { calls = 3 }

[profile]
`

const edited = (...changes: readonly Change[]): Promise<string> =>
  edit('toml', { file: 'config.toml', text: TEXT }, changes)
const set = (path: Path, value: Value): Change => ({ kind: 'set', path, value })

describe('set', () => {
  test('a table, behind the last one of its parent', async () => {
    const value = { command: 'C:\\x "y"', args: ['a'], env: { 'A.B': 'c' } }
    expect(await edited(set(['mcp_servers', 'new one'], value))).toBe(
      TEXT.replace(
        '\n[profile]',
        `\n[mcp_servers."new one"]\ncommand = 'C:\\x "y"'\nargs = ["a"]\n\n[mcp_servers."new one".env]\n"A.B" = "c"\n\n[profile]`,
      ),
    )
  })

  test('a key, at the end of its table', async () => {
    expect(await edited(set(['mcp_servers', 'docs', 'enabled'], false))).toBe(
      TEXT.replace('# latest\n', '# latest\nenabled = false\n'),
    )
    expect(await edited(set(['effort'], 'high'))).toBe(
      TEXT.replace('# for now\n', '# for now\neffort = "high"\n'),
    )
  })

  test('a value in its place; what is the same stays', async () => {
    const value = { command: 'npx', args: ['-y', 'docs', 'more'], env: { KEY: 'z' } }
    expect(await edited(set(['mcp_servers', 'docs'], value))).toBe(
      TEXT.replace('"docs"] #', '"docs", "more"] #').replace('"a"', '"z"'),
    )
  })

  test('beside dotted keys, and in inline tables', async () => {
    expect(await edited(set(['mcp_servers', 'sentry', 'tools', 'write'], false))).toBe(
      TEXT.replace('tools.read = true\n', 'tools.read = true\ntools.write = false\n'),
    )
    expect(await edited(set(['mcp_servers', 'sentry', 'limits', 'time'], { s: 1 }))).toBe(
      TEXT.replace('calls = 3 }', 'calls = 3, time = { s = 1 } }'),
    )
  })
})

test('remove: with everything below, and no more', async () => {
  expect(await edited({ kind: 'remove', path: ['mcp_servers', 'docs'] })).toBe(`# my Codex
model = "x" # for now

# OTHER = "b"

# sentry, too
[mcp_servers.sentry]
url = "https://sentry.test"
tools.read = true
limits = { calls = 3 }

[profile]
`)
  expect(await edited({ kind: 'remove', path: ['mcp_servers', 'sentry', 'tools'] })).toBe(
    TEXT.replace('tools.read = true\n', ''),
  )
})

test('rename: in every header and key', async () => {
  expect(await edited({ kind: 'rename', path: ['mcp_servers', 'docs'], to: 'a b' })).toBe(
    TEXT.replaceAll('mcp_servers.docs', 'mcp_servers."a b"'),
  )
})
