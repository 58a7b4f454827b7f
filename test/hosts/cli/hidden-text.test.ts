/**
 * hidden-text: what a server says reaches a terminal without characters that move text, hide in it or command the terminal.
 */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { runInTerminal } from '../../processes/terminal.ts'

const HIDES = fileURLToPath(new URL('../../servers/hides-text.mjs', import.meta.url))

let machine: Machine
beforeAll(() => {
  const servers = { hides: { command: process.execPath, args: [HIDES] } }
  machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: servers } })
})
afterAll(() => machine[Symbol.dispose]())

// `\u001b[31m` is what the server sends; our own colours and movements are gone from the text.
// oxlint-disable-next-line no-control-regex
const HIDDEN = /[\u001b\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const LINES = [
  'list --check',
  'test hides',
  'tools hides',
  'call hides tells',
  'call hides tells --json',
  'call hides tells --output raw',
  'call hides fails',
  'call hides refuses',
  'call listMcpResources',
  'call readMcpResource server=hides uri=x://a',
  'resources hides',
  'read hides x://a',
  'prompts hides',
  'prompt hides p',
  'logs hides',
]

// A terminal that does not know its size says 0: `script` without a terminal, some editors and containers.
test('no command shows them, also where the size of the terminal is not known', async () => {
  for (const line of LINES) {
    const { text, raw } = await runInTerminal(machine, `plugboard ${line}`, {
      columns: 0,
      env: { NO_COLOR: '1' },
    })
    expect({ line, hidden: HIDDEN.exec(text)?.[0] }).toEqual({ line, hidden: undefined })
    expect({ line, hidden: raw.includes('\u001b[31m') }).toEqual({ line, hidden: false })
  }
})

test('they are shown as escapes, and a pipe gets a result as it is', async () => {
  const line = 'plugboard read hides x://a'
  const escaped = String.raw`a\u{202e}b\u{2066}c\u{200b}d\u{2060}e\u{feff}f\u{e0041}g\u{200f}h\u{61c}i\x1b[31mj`
  expect((await runInTerminal(machine, line, { columns: 0 })).text).toContain(escaped)
  const { stdout } = await machine.run(['read', 'hides', 'x://a'])
  expect(stdout).toBe('a\u202eb\u2066c\u200bd\u2060e\ufefff\u{e0041}g\u200fh\u061ci\u001b[31mj\n')
})

test('nor does what a failing `headersHelper` writes, which may hold a credential as well', async () => {
  const helper = String.raw`printf 'a\033]0;pwned\007b \342\200\256c sent Bearer abcdef123456\n' >&2; exit 4`
  const remote = { type: 'http', url: 'http://127.0.0.1:9/mcp', headersHelper: helper }
  using other = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { remote } } })
  const { raw, text } = await runInTerminal(other, 'plugboard test remote', { columns: 200 })
  expect(text).toContain(String.raw`the last line it wrote: ab \u{202e}c sent Bearer ‹secret›`)
  expect(raw).not.toContain('pwned')
})
