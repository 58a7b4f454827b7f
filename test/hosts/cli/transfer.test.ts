/**
 * transfer: what a person is asked about an import and an export, and what scripts get.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openMachine, type Files, type Machine } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'

const OURS = '~/.config/plugboard/mcp.json'
const FILES: Files = {
  '~/.cursor/mcp.json': {
    mcpServers: { a: { command: 'a' }, b: { command: 'b', env: { API_KEY: 'hunter2' } } },
  },
  './.cursor/mcp.json': { mcpServers: { shop: { command: 'node', args: ['./shop.js', '--all'] } } },
}

const NO = KEYS.enter
const YES = KEYS.down + KEYS.enter

function serversIn(machine: Machine, file: string): readonly string[] {
  if (!existsSync(machine.at(file))) return []
  const { mcpServers } = JSON.parse(readFileSync(machine.at(file), 'utf8')) as { readonly mcpServers: object }
  return Object.keys(mcpServers)
}

describe('in a terminal', () => {
  test('without names, every server is shown and asked about', async () => {
    using machine = openMachine(FILES)
    const answers = [
      { when: 'Import `a`?', keys: YES },
      { when: 'Import `b`?', keys: NO },
      { when: 'Import `shop`?', keys: YES },
    ]
    const { code, text } = await runInTerminal(machine, 'plugboard import cursor', { columns: 90, answers })
    expect(code).toBe(0)
    expect(text).toContain('runs     node ./shop.js --all')
    expect(text).toContain('An MCP server can do whatever you can')
    expect(text).not.toContain('hunter2')
    expect(serversIn(machine, OURS)).toEqual(['a', 'shop'])
  })

  test('a server of the repository is asked about even when it is named; no is the first answer', async () => {
    using machine = openMachine(FILES)
    const answers = [{ when: 'Import `shop`?', keys: NO }]
    const { code } = await runInTerminal(machine, 'plugboard import cursor shop', { columns: 90, answers })
    expect({ code, servers: serversIn(machine, OURS) }).toEqual({ code: 5, servers: [] })
  })

  test('whoever gives up writes nothing', async () => {
    using machine = openMachine(FILES)
    const answers = [
      { when: 'Import `a`?', keys: YES },
      { when: 'Import `b`?', keys: KEYS.escape },
    ]
    const { code } = await runInTerminal(machine, 'plugboard import cursor', { columns: 90, answers })
    expect({ code, servers: serversIn(machine, OURS) }).toEqual({ code: 130, servers: [] })
  })

  test.each([
    ['yes', YES, 0, ['b']],
    ['no', NO, 5, []],
  ])('a secret goes into the repository only after a question: %s', async (_, keys, code, servers) => {
    using machine = openMachine(FILES)
    const answers = [{ when: 'Write what looks like a secret into the repository?', keys }]
    const ran = await runInTerminal(machine, 'plugboard import cursor b --scope project', {
      columns: 90,
      answers,
    })
    expect(ran.text).toContain('Everybody who sees the repository will see `env.API_KEY` of `b`')
    expect({ code: ran.code, servers: serversIn(machine, './.plugboard/mcp.json') }).toEqual({
      code,
      servers,
    })
  })
})

describe('for scripts', () => {
  test('what goes into a file of the project is approved for the one who put it there', async () => {
    using machine = openMachine(FILES)
    expect((await machine.run(['import', 'cursor', 'a', '--scope', 'project'])).code).toBe(0)
    const { servers } = (await machine.json(['list'])) as {
      readonly servers: readonly {
        readonly name: string
        readonly file: string
        readonly fate: { readonly kind: string }
      }[]
    }
    const ours = servers.find(({ file }) => file.endsWith('.plugboard/mcp.json'))
    expect(ours).toMatchObject({ name: 'a', fate: { kind: 'chosen' } })
  })

  test('import --json: what was written, what is there, what is left and why', async () => {
    using machine = openMachine(FILES)
    await machine.run(['import', 'cursor', 'a'])
    const got = await machine.json(['import', 'cursor', '--all'])
    expect(got).toMatchObject({
      agent: 'cursor',
      scope: 'user',
      file: machine.at(OURS),
      dryRun: false,
      imported: [
        {
          name: 'b',
          from: {
            name: 'b',
            source: 'cursor',
            scope: 'user',
            file: machine.at('~/.cursor/mcp.json'),
            line: 1,
          },
          entry: { command: 'b', env: { API_KEY: '‹secret›' } },
          losses: [],
        },
      ],
      there: ['a'],
      left: [{ name: 'shop', problem: { code: 'manage/needs-consent' } }],
      problems: [],
    })
  })

  test('--dry-run --json has the difference, and writes nothing', async () => {
    using machine = openMachine(FILES)
    const { diff } = (await machine.json(['import', 'cursor', '--all', '--dry-run'])) as {
      readonly diff: string
    }
    expect(diff).toContain('+    "a": {')
    expect(diff).not.toContain('hunter2')
    expect(serversIn(machine, OURS)).toEqual([])
  })

  test('--yes is an answer, too', async () => {
    using machine = openMachine(FILES)
    expect((await machine.run(['import', 'cursor', '--all', '--yes'])).code).toBe(0)
    expect(serversIn(machine, OURS)).toEqual(['a', 'b', 'shop'])
  })

  test('nothing that was named is left out without an exit code', async () => {
    using machine = openMachine({ ...FILES, [OURS]: { mcpServers: { a: { command: 'other' } } } })
    const { code, stderr } = await machine.run(['import', 'cursor', 'a', 'b'])
    expect(code).toBe(2)
    expect(stderr).toContain('Server "a" already exists in ~/.config/plugboard/mcp.json')
    expect(serversIn(machine, OURS)).toEqual(['a', 'b'])
  })

  test('a file that cannot be written is an error, and stays', async () => {
    using machine = openMachine({
      '~/.cursor/mcp.json/in-the-way': '',
      [OURS]: { mcpServers: { a: { command: 'a' } } },
    })
    const { code, stderr } = await machine.run(['export', 'cursor', 'a'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/^error: /)
  })
})
