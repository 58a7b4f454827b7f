/**
 * project-links: what a cloned repository may bring to turn our writes on its user: links out of it, and things in the
 * place of locks. The built command.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openMachine } from '../../processes/plugboard.ts'

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
