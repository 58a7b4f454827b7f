/**
 * project-links: what a cloned repository may bring to turn our writes on its user: links out of it, and things in the
 * place of locks. The built command.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openMachine } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'

const ADD = ['add', 'x', '--scope', 'project', '--', 'node', 'x.mjs']

test.each([
  ['a file', './.plugboard/mcp.json', '~/outside/mcp.json'],
  ['a file that is not there', './.plugboard/mcp.json', '~/outside/new.json'],
  ['a folder', './.plugboard', '~/outside'],
] as const)('nothing is added to a project through a link to %s outside of it', async (_, link, target) => {
  using machine = openMachine({ '~/outside/mcp.json': { mcpServers: {} } })
  if (link !== './.plugboard') mkdirSync(machine.at('./.plugboard'))
  symlinkSync(machine.at(target), machine.at(link))
  const before = readFileSync(machine.at('~/outside/mcp.json'), 'utf8')
  const { code, stdout, stderr } = await machine.run(ADD)
  const said = machine.shorten(stdout + stderr)
  expect(said).toContain('error: this file is not changed: a link leads out of the project')
  expect(said).toContain(`\`${link.replace('./', '~/project/')}\` is a link, and \`~/outside/`)
  expect(code).toBe(1)
  expect(readFileSync(machine.at('~/outside/mcp.json'), 'utf8')).toBe(before)
  expect(readdirSync(machine.at('~/outside'))).toEqual(['mcp.json'])
})

test.each([
  [['permissions', 'deny', 'mcp__x__y', '--scope', 'project'], '.plugboard/settings.json'],
  [['connect', 'cursor', '--scope', 'project', '--yes'], '.cursor/mcp.json'],
])('%j writes nothing outside of the project either', async (args, path) => {
  using machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { x: { command: 'node', args: ['x.mjs'] } } },
  })
  const outside = machine.at('~/outside')
  mkdirSync(outside)
  symlinkSync(outside, machine.at(`./${path.split('/')[0]!}`))
  const { code, stdout, stderr } = await machine.run(args)
  expect(machine.shorten(stdout + stderr)).toContain('a link leads out of the project')
  expect(code).toBe(1)
  expect(readdirSync(outside)).toEqual([])
})

const SERVER = { command: 'node', args: ['x.mjs'] }

test.each([
  [['add-json', 'n', '{"command":"node"}', '--scope', 'project']],
  [['add-from', 'windsurf', 'w', '--scope', 'project', '--no-check', '--yes']],
  [['import', 'windsurf', 'w', '--scope', 'project', '--yes']],
  [['export', 'cursor', 'u', '--scope', 'project', '--yes']],
  [['rename', 'p', 'q']],
  [['remove', 'p', '--yes']],
  [['edit', '--scope', 'project']],
  [['permissions', 'deny', 'mcp__a__b', '--scope', 'project']],
  [['permissions', 'reset', 'mcp__x__y', '--scope', 'project']],
  [['connect', 'cursor', '--scope', 'project', '--yes']],
])('%j changes no file outside of the project that one in it is a link to', async (args) => {
  const rules = [{ tool: 'mcp__x__y', action: 'deny' }]
  using machine = openMachine({
    '~/outside/mcp.json': { mcpServers: { p: SERVER } },
    '~/outside/settings.json': { permissions: { rules } },
    '~/.config/plugboard/mcp.json': { mcpServers: { u: SERVER } },
    '~/.codeium/windsurf/mcp_config.json': { mcpServers: { w: SERVER } },
    '~/editor': 'sed -i s/x.mjs/y.mjs/ "$1"\n',
  })
  const outside = machine.at('~/outside')
  for (const folder of ['./.plugboard', './.cursor']) {
    mkdirSync(machine.at(folder))
    for (const name of readdirSync(outside)) symlinkSync(join(outside, name), join(machine.at(folder), name))
  }
  const textsOf = (): readonly string[] =>
    readdirSync(outside).map((name) => `${name} ${readFileSync(join(outside, name), 'utf8')}`)
  const before = textsOf()
  const { code, text } = await runInTerminal(machine, `plugboard ${args.map(quote).join(' ')}`, {
    columns: 200,
    env: { EDITOR: `sh ${machine.at('~/editor')}` },
    answers: [{ when: 'What now?', keys: KEYS.down + KEYS.enter }],
  })
  expect(text).toContain('a link leads out of the project')
  expect(code).toBe(1)
  expect(textsOf()).toEqual(before)
})

function quote(word: string): string {
  return `'${word}'`
}

test('a link inside of the project, and one of the user, are followed', async () => {
  using machine = openMachine({ './shared/mcp.json': { mcpServers: {} }, '~/dotfiles/mcp.json': '{}' })
  symlinkSync('shared', machine.at('./.plugboard'))
  mkdirSync(machine.at('~/.config/plugboard'), { recursive: true })
  symlinkSync('../../dotfiles/mcp.json', machine.at('~/.config/plugboard/mcp.json'))
  expect((await machine.run(ADD)).code).toBe(0)
  expect(readFileSync(machine.at('./shared/mcp.json'), 'utf8')).toContain('x.mjs')
  expect((await machine.run(['add', 'y', '--', 'node', 'y.mjs'])).code).toBe(0)
  expect(readFileSync(machine.at('~/dotfiles/mcp.json'), 'utf8')).toContain('y.mjs')
})

test('a folder in the place of a lock is named at once, and stays', async () => {
  using machine = openMachine({ './.plugboard/mcp.json.plugboard.lock/kept': 'x' })
  const { code, stdout, stderr } = await machine.run(ADD)
  expect(machine.shorten(stdout + stderr)).toContain(
    'something that is no file stands where its lock would be',
  )
  expect(code).toBe(1)
  expect(existsSync(machine.at('./.plugboard/mcp.json.plugboard.lock/kept'))).toBe(true)
})
