/**
 * jsonc: the smallest change, and everything else as it was.
 */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/edit/change.ts'
import { edit } from '../../src/edit/edit.ts'

const FILE = '/home/ada/mcp.json'

async function edited(text: string | undefined, ...changes: readonly Change[]): Promise<string> {
  return edit('jsonc', { file: FILE, text }, changes)
}

const SERVER = { command: 'npx', args: ['-y', 'foo'], env: { KEY: '${KEY}' } }

const set = (path: Change['path'], value: Extract<Change, { kind: 'set' }>['value']): Change => ({
  kind: 'set',
  path,
  value,
})
const remove = (...path: Change['path']): Change => ({ kind: 'remove', path })

describe('set', () => {
  test.each([[undefined], [''], ['{}\n']])('into %j', async (text) => {
    expect(await edited(text, set(['mcpServers', 'foo'], SERVER))).toBe(`{
  "mcpServers": {
    "foo": {
      "command": "npx",
      "args": ["-y", "foo"],
      "env": {
        "KEY": "\${KEY}"
      }
    }
  }
}
`)
  })

  test('as the file is indented and its lines end, comments and all', async () => {
    const text =
      '\ufeff{ // mine\r\n\t"mcpServers": {\r\n\t\t"a": {}, // the first\r\n\t\t// "b": {}\r\n\t}\r\n}'
    expect(await edited(text, set(['mcpServers', 'c'], { url: 'x' }))).toBe(
      '\ufeff{ // mine\r\n\t"mcpServers": {\r\n\t\t"a": {}, // the first\r\n\t\t// "b": {}\r\n\t\t"c": {\r\n\t\t\t"url": "x"\r\n\t\t},\r\n\t}\r\n}',
    )
  })

  test('what is the same stays as it is written', async () => {
    const text = `{
  "a": { // why
    "command": "npx", // as ever
    "args": [ "-y",   "x" ],
    "timeout": 3
  }
}`
    expect(await edited(text, set(['a'], { command: 'npx', args: ['-y', 'y'], enabled: false }))).toBe(`{
  "a": { // why
    "command": "npx", // as ever
    "args": [ "-y",   "y" ],
    "enabled": false
  }
}`)
  })

  test('keys that are like no other', async () => {
    const text = await edited('{}', set(['__proto__', 'a.b"c\\', 'ключ'], 1))
    expect(text).toBe('{\n  "__proto__": {\n    "a.b\\"c\\\\": {\n      "ключ": 1\n    }\n  }\n}')
    expect(await edited(text, remove('__proto__'))).toBe('{}')
  })
})
