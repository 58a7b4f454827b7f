/**
 * permissions in TOML: written as they are in JSON, comments kept, and nothing is done by halves.
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

test('a reset takes rules out of both files, and leaves the rest of them', async () => {
  machine.write({ [JSON_FILE]: IN_JSON, [TOML_FILE]: `# mine\ntoolNames = "bare"\n\n${IN_TOML}` })
  const { code, stdout } = await machine.run(['permissions', 'reset', 'mcp__github'])
  expect([code, stdout]).toEqual([0, 'removed 2 rules and 0 permissions\n'])
  expect([read(JSON_FILE), read(TOML_FILE)]).toEqual([
    '{ "permissions": { "rules": [] } }\n',
    '# mine\ntoolNames = "bare"\n',
  ])
})

test('a reset that cannot change one of them changes nothing, not even what it could', async () => {
  const broken = `${IN_TOML}[[permissions`
  machine.write({ [JSON_FILE]: IN_JSON, [TOML_FILE]: broken })
  const { code, stderr } = await machine.run(['permissions', 'reset', 'mcp__github'])
  expect(code).toBe(2)
  expect(machine.shorten(stderr)).toContain('error: this TOML file does not parse')
  expect(machine.shorten(stderr)).toContain('nothing was changed')
  expect([read(JSON_FILE), read(TOML_FILE)]).toEqual([IN_JSON, broken])
})

test('a rule goes into settings in TOML where there are such, comments and all, and counts', async () => {
  const { code } = await machine.run(['permissions', 'deny', 'mcp__github__drop'])
  expect(code).toBe(0)
  expect(read(TOML_FILE)).toBe(
    `${IN_TOML}\n[[permissions.rules]]\ntool = "mcp__github__drop"\naction = "deny"\n`,
  )
  expect(await machine.json(['permissions', 'explain', 'mcp__github__drop'])).toMatchObject({
    verdict: { action: 'deny' },
  })
})
