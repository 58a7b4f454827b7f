/**
 * Rules in TOML, which are read and not written: nothing is done by halves, and it is said what to do.
 */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'

const JSON_FILE = '~/.config/plugboard/settings.json'
const TOML_FILE = '~/.config/plugboard/settings.toml'
const IN_JSON = '{ "permissions": { "rules": [{ "tool": "mcp__github", "action": "allow" }] } }\n'
const IN_TOML = '[[permissions.rules]]\ntool = "mcp__github__get_issue"\naction = "allow" # mine\n'

let machine: Machine
beforeEach(() => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { github: { url: 'https://mcp.example.com/' } } },
    [TOML_FILE]: IN_TOML,
  })
})
afterEach(() => machine[Symbol.dispose]())

const read = (file: string): string => readFileSync(machine.at(file), 'utf8')

test('a reset that would have to change TOML changes nothing, not even what it could', async () => {
  machine.write({ [JSON_FILE]: IN_JSON })
  const { code, stderr } = await machine.run(['permissions', 'reset', 'mcp__github'])
  expect(code).toBe(2)
  expect(machine.shorten(stderr)).toContain(
    'error: nothing was changed: settings in TOML are read, but only you write them, so that your comments stay\n',
  )
  expect(machine.shorten(stderr)).toContain(
    'hint: take out the rule that begins in line 1 of `~/.config/plugboard/settings.toml`, and run this again',
  )
  expect([read(JSON_FILE), read(TOML_FILE)]).toEqual([IN_JSON, IN_TOML])
})

test('a rule for settings in TOML is shown, to be added by hand, and then counts', async () => {
  const { code, stderr } = await machine.run(['permissions', 'deny', 'mcp__github__drop'])
  expect(code).toBe(2)
  expect(machine.shorten(stderr)).toContain(
    '  [[permissions.rules]]\n  tool = "mcp__github__drop"\n  action = "deny"\n',
  )
  const [shown] = /\[\[[^]*"deny"/.exec(stderr)!
  machine.write({ [TOML_FILE]: `${IN_TOML}\n${shown}\n` })
  expect(await machine.json(['permissions', 'explain', 'mcp__github__drop'])).toMatchObject({
    verdict: { action: 'deny' },
  })
})
