/**
 * manage, in a terminal: what is asked before a server goes, and while a text is mended.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openMachine } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'

const FILE = '~/.config/plugboard/mcp.json'
const SERVERS =
  '{ "mcpServers": { "files": { "command": "files", "env": { "TOKEN": "hunter2hunter2" } } } }\n'

describe('remove', () => {
  const ASKED = 'Remove it?'

  test('shows what goes, without its secrets, and does nothing without a yes', async () => {
    using machine = openMachine({ [FILE]: SERVERS })
    const answers = [{ when: ASKED, keys: KEYS.enter }]
    const { code, text } = await runInTerminal(machine, 'plugboard remove files', { columns: 80, answers })
    expect(code).toBe(5)
    expect(text).toContain('files  ~/.config/plugboard/mcp.json:1:19   (user scope)')
    expect(text).toContain('"command": "files"')
    expect(text).not.toContain('hunter2')
    expect(readFileSync(machine.at(FILE), 'utf8')).toBe(SERVERS)
  })

  test('does it with one', async () => {
    using machine = openMachine({ [FILE]: SERVERS })
    const answers = [{ when: ASKED, keys: KEYS.down + KEYS.enter }]
    const { code, text } = await runInTerminal(machine, 'plugboard rm files', { columns: 80, answers })
    expect(code).toBe(0)
    expect(text).toContain('removed `files` from ~/.config/plugboard/mcp.json (user scope)')
    expect(readFileSync(machine.at(FILE), 'utf8')).toBe('{ "mcpServers": {} }\n')
  })
})

describe('edit', () => {
  test('without a terminal, no editor is started that would wait for keys', async () => {
    using machine = openMachine({ [FILE]: SERVERS })
    const { code, stderr } = await machine.run(['edit'], { env: { EDITOR: '', VISUAL: '' } })
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      first: 'error: there is no terminal here for an editor to run in',
    })
  })

  /** Breaks the file the first time, and mends it the second. */
  const EDITOR = `#!/bin/sh
if [ -e "$HOME/again" ]; then echo '{ "mcpServers": { "notes": { "command": "notes" } } }' > "$1"
else touch "$HOME/again"; echo '{ "mcpServers": ' > "$1"; fi
`

  test('shows what is wrong, and lets it be mended', async () => {
    using machine = openMachine({ [FILE]: SERVERS, '~/editor': EDITOR })
    const answers = [{ when: 'What now?', keys: KEYS.enter }]
    const { code, text } = await runInTerminal(machine, 'EDITOR="sh $HOME/editor" plugboard edit', {
      columns: 80,
      answers,
    })
    expect(text).toContain('this JSON file does not parse: a value is expected here')
    expect(text).toContain('added `notes`')
    expect(code).toBe(0)
    expect(readFileSync(machine.at(FILE), 'utf8')).toBe(
      '{ "mcpServers": { "notes": { "command": "notes" } } }\n',
    )
  })
})

describe('a name that may be in a file that does not parse', () => {
  const NOTE = 'this JSON file does not parse: a `}` is missing'

  test.each([
    ['disable git', `could not look into ~/.cursor/mcp.json:1:18: ${NOTE}`],
    ['remove git --yes', `could not look into ~/.cursor/mcp.json:1:18: ${NOTE}`],
    ['import cursor git', `could not look into ~/.cursor/mcp.json: ${NOTE}`],
    ['import cursor --all', NOTE],
  ])('%s', async (line, told) => {
    using machine = openMachine()
    machine.write({ '~/.cursor/mcp.json': '{"mcpServers":{} ' })
    const { code, stderr } = await machine.run(line.split(' '))
    expect(code).toBe(2)
    expect(machine.shorten(stderr)).toContain(told)
  })
})
