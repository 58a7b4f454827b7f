/**
 * agent-policies: what a user denied in Claude Code and in agent-code is denied here, and `doctor` names the rest.
 */
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'

const SERVER = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../../servers/well-behaved.mjs', import.meta.url))],
}

let machine: Machine
beforeEach(() => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { demo: SERVER, mail: SERVER } },
  })
})
afterEach(() => machine[Symbol.dispose]())

interface Finding {
  readonly severity: string
  readonly code: string
  readonly message: string
  readonly fix?: string
  readonly line?: number
}

async function findingsOfAgents(): Promise<readonly Finding[]> {
  const { findings } = (await machine.json(['doctor'])) as { readonly findings: readonly Finding[] }
  return findings.filter(({ code }) => code === 'doctor/agent-policy')
}

test('a server that Claude Code denies does not run, and `explain` names the line', async () => {
  machine.write({ '~/.claude/settings.json': '{ "deniedMcpServers": [{ "serverName": "mail" }] }\n' })
  const { stdout } = await machine.run(['explain', 'mail'])
  expect(stdout).toContain("a rule in Claude Code's user settings names it")
  expect(machine.shorten(stdout)).toContain('by rule `mail`, ~/.claude/settings.json:1:24')
  expect((await machine.run(['call', 'mail', 'echo', 'text=hi'])).code).not.toBe(0)
  expect((await machine.run(['call', 'demo', 'echo', 'text=hi'])).code).toBe(0)
})

test.each([
  {
    agent: 'agent-code',
    file: '~/.config/agent-code/config.toml',
    text: '[[permissions.rules]]\ntool = "mcp__demo__ec*"\naction = "deny"\n',
    line: 1,
  },
  {
    agent: 'Claude Code',
    file: '~/.claude/settings.json',
    text: '{\n "permissions": { "deny": ["mcp__demo__echo"] }\n}\n',
    line: 2,
  },
])('a tool that a rule of $agent denies is not called', async ({ file, text, line }) => {
  machine.write({ [file]: text })
  const { code, stderr } = await machine.run(['call', 'demo', 'echo', 'text=hi'])
  expect(code).toBe(5)
  expect(stderr).toContain('policy does not allow `demo.echo`')
  expect(machine.shorten(stderr)).toContain(`${file}:${line}`)
  expect((await machine.run(['call', 'mail', 'echo', 'text=hi'])).code).toBe(0)
})

test('a rule of a repository counts once its user approved something of the project', async () => {
  machine.write({
    './.mcp.json': { mcpServers: { shop: { ...SERVER, args: [...SERVER.args, 'shop'] } } },
    './.agent/settings.toml': '[[permissions.rules]]\ntool = "mcp__demo"\naction = "deny"\n',
  })
  expect((await machine.run(['call', 'demo', 'echo', 'text=hi'])).code).toBe(0)
  expect((await machine.run(['trust', 'approve', 'shop', '--yes'])).code).toBe(0)
  expect((await machine.run(['call', 'demo', 'echo', 'text=hi'])).code).toBe(5)
})

test('doctor names what is not applied, with the place to write it instead', async () => {
  machine.write({
    '~/.claude/settings.json': {
      allowedMcpServers: [{ serverName: 'demo' }],
      permissions: { allow: ['mcp__demo', 'Bash(ls)'], ask: ['mcp__mail__echo', 'mcp__mail__add'] },
    },
    '~/.config/agent-code/config.toml':
      '[permissions]\ndefault_mode = "deny"\n[[permissions.rules]]\ntool = "mcp__demo__*"\naction = "allow"\n' +
      '[[permissions.rules]]\ntool = "Bash"\naction = "deny"\n',
  })
  const found = await findingsOfAgents()
  expect(
    found.map(({ severity, message, line }) => [severity, line, message.split(' counts in ')[0]]),
  ).toEqual([
    [
      'warning',
      2,
      expect.stringContaining('`permissions.default_mode` of agent-code restricts nothing here'),
    ],
    ['warning', 1, expect.stringContaining('`allowedMcpServers` of Claude Code restricts nothing here')],
    ['info', 3, expect.stringContaining('1 `allow` rule of agent-code for MCP tools')],
    ['info', 1, expect.stringContaining('2 `ask` rules of Claude Code for MCP tools')],
    ['info', 1, expect.stringContaining('1 `allow` rule of Claude Code for MCP tools')],
  ])
  expect(machine.shorten(found[1]!.fix!)).toBe(
    'to restrict the same here, write `allowedMcpServers` in `~/.config/plugboard/settings.json`',
  )
  expect((await machine.run(['call', 'mail', 'echo', 'text=hi'])).code).toBe(0)
})

test('a source that is turned off denies nothing', async () => {
  machine.write({
    '~/.config/plugboard/settings.json': { sources: { 'claude-code': false } },
    '~/.claude/settings.json': { deniedMcpServers: [{ serverName: 'demo' }], allowedMcpServers: [] },
  })
  expect((await machine.run(['call', 'demo', 'echo', 'text=hi'])).code).toBe(0)
  expect(await findingsOfAgents()).toEqual([])
})

test('an allow list of ours that is empty is a warning', async () => {
  machine.write({ '~/.config/plugboard/settings.json': '{ "allowedMcpServers": [] }\n' })
  const { code, stderr } = await machine.run(['list'])
  expect(code).toBe(0)
  expect(stderr).toContain('warning: `allowedMcpServers` is empty, so it restricts nothing')
  expect(stderr).toContain('hint: to admit no server at all, write `"deniedMcpServers": ["*"]`')
})
