/**
 * The built-in tools on the command line: listed apart, called without a server, explained.
 */
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'

const server = (program: string): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../servers/${program}.mjs`, import.meta.url))],
})

let machine: Machine
beforeEach(() => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: { notes: server('tells-changes'), work: server('outcomes') },
    },
  })
})
afterEach(() => machine[Symbol.dispose]())

const settings = (rules: object[]): void =>
  machine.write({ '~/.config/plugboard/settings.json': { permissions: { rules } } })

describe('plugboard call', () => {
  test('lists what there is to read, of all servers or of one', async () => {
    const all = await machine.run(['call', 'listMcpResources'])
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(all.stdout).toContain('## notes\n- note://one (one)\n')
    const one = await machine.run(['call', 'listMcpResources', 'server=work'])
    expect(one.stdout).not.toContain('note://one')
  })

  test('reads, with arguments from the line or from `--args`', async () => {
    const typed = await machine.run(['call', 'readMcpResource', 'server=notes', 'uri=note://one'])
    expect(typed).toMatchObject({ code: 0, stderr: '' })
    expect(typed.stdout).toContain('this is note://one')
    const args = JSON.stringify({ server: 'notes', uri: 'note://two' })
    expect(await machine.json(['call', 'readMcpResource', '--args', args])).toMatchObject({
      outcome: 'done',
      server: 'notes',
      tool: 'readMcpResource',
      name: 'readMcpResource',
      content: [{ resource: { text: 'this is note://two' } }],
    })
  })

  test('says what is missing or wrong, as for any tool', async () => {
    const missing = await machine.run(['call', 'readMcpResource', 'server=notes'])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('the arguments do not fit `readMcpResource`, so it was not called')
    const nobody = await machine.run(['call', 'readMcpResource', 'server=nots', 'uri=note://one'])
    expect(nobody.code).toBe(2)
    expect(nobody.stderr).toContain('did you mean `notes`?')
    // A second word that is no value is the tool of a server of that name, which there is not.
    const server = await machine.run(['call', 'readMcpResource', 'echo'])
    expect(server.stderr).toContain('no server is named `readMcpResource`')
  })

  test.each(['mcp__notes', 'readMcp*'])('reads nothing that the rule `%s` denies', async (tool) => {
    settings([{ tool, action: 'deny' }])
    const line = ['call', 'readMcpResource', 'server=notes', 'uri=note://one']
    const { code, stderr } = await machine.run(line)
    expect(code).toBe(5)
    expect(stderr).toContain('error: policy does not allow `readMcpResource`')
    expect(stderr).toContain('run `plugboard permissions explain readMcpResource`')
  })
})

describe('plugboard tools', () => {
  test('shows them apart from those of the servers, for they belong to none', async () => {
    const { stdout } = await machine.run(['tools', '--wait'])
    expect(stdout).toMatch(
      /\n\nBUILT IN +DESCRIPTION\nlistMcpResources +Lists what .*\nreadMcpResource +Reads/,
    )
    const { tools, builtin } = (await machine.json(['tools', '--wait'])) as {
      tools: { name: string }[]
      builtin: { name: string; inputSchema: object }[]
    }
    expect(tools.filter(({ name }) => !name.startsWith('mcp__'))).toEqual([])
    expect(builtin.map(({ name }) => name)).toEqual(['listMcpResources', 'readMcpResource'])
    expect(builtin[1]!.inputSchema).toMatchObject({ required: ['server', 'uri'] })
  })

  test('shows what they take, and what a provider makes of it', async () => {
    const { stdout } = await machine.run(['tools', '--wait', '--schema'])
    expect(stdout).toMatch(/\n\nreadMcpResource {3}built in\nReads one resource of an MCP server\.\n/)
    const { builtin } = (await machine.json(['tools', '--wait', '--provider', 'openai-strict'])) as {
      builtin: { name: string; inputSchema: object }[]
    }
    expect(builtin[0]).toMatchObject({ inputSchema: { required: ['server', 'cursor'] } })
  })

  test('of one server has none of them', async () => {
    expect((await machine.run(['tools', 'notes'])).stdout).not.toContain('BUILT IN')
    expect(await machine.json(['tools', 'notes'])).toMatchObject({ builtin: [] })
  })
})

describe('plugboard permissions explain', () => {
  test('knows them, where nobody said anything', async () => {
    expect((await machine.run(['permissions', 'explain', 'listMcpResources'])).stdout).toBe(
      [
        'listMcpResources  built in',
        '  allow: it changes nothing, and no rule denies it',
        '',
        '  rules  none denies it',
        '',
      ].join('\n'),
    )
  })

  test('names the rules that deny them, and the servers that are closed to them', async () => {
    settings([
      { tool: 'mcp__notes', action: 'deny' },
      { tool: 'list*', action: 'deny', reason: 'No lists.' },
    ])
    const read = await machine.run(['permissions', 'explain', 'readMcpResource'])
    expect(machine.shorten(read.stdout)).toMatch(
      /^readMcpResource {2}built in\n {2}allow: [^\n]+\n\n {2}deny {3}what `notes` has: by rule `mcp__notes`, ~\/\.config\/plugboard\/settings\.json:1:\d+ +\(user settings\)\n$/,
    )
    const list = await machine.run(['permissions', 'explain', 'listMcpResources'])
    expect(list.stdout).toContain('  deny: by rule `list*`')
    expect(list.stdout).toContain(': "No lists."')
    expect(await machine.json(['permissions', 'explain', 'readMcpResource'])).toMatchObject({
      name: 'readMcpResource',
      server: '',
      builtin: true,
      verdict: { action: 'allow' },
      rules: [],
      closed: [{ server: 'notes', by: { kind: 'rule', tool: 'mcp__notes' } }],
    })
  })

  test('guesses them, too', async () => {
    expect((await machine.run(['permissions', 'explain', 'readMcpResorce'])).stderr).toContain(
      'did you mean `readMcpResource`?',
    )
  })
})
