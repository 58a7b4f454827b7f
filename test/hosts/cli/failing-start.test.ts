/**
 * failing-start: what the built command says of servers that do not start.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'

/** An error, and below it a long stack, before anything is read. Notes each start. */
const CRASHES = `
  const { appendFileSync, writeSync } = require('node:fs')
  appendFileSync('starts', 'x')
  const stack = Array.from({ length: 12 }, (_, line) => '    at step' + line + ' (server.js:' + line + ':1)')
  writeSync(2, ['throw error', '^', 'Error: Cannot find module x', ...stack, 'Node.js v20', ''].join('\\n'))
  process.exit(1)
`

function openWith(server: object): Machine {
  return openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { x: server } },
    '~/crashes.cjs': CRASHES,
  })
}

async function why(machine: Machine): Promise<string> {
  const { code, stderr } = await machine.run(['test', 'x'])
  expect(code).toBe(1)
  return machine.shorten(stderr)
}

describe('a server that does not start', () => {
  it('because its folder is missing is not said to have no command', async () => {
    using machine = openWith({ command: process.execPath, args: ['${HOME}/crashes.cjs'], cwd: '~/nowhere' })
    const said = await why(machine)
    expect(said).toContain('Failed to connect to "x": its folder (`cwd`) does not exist: ~/nowhere')
    expect(said).toContain('hint: make the folder, or correct `cwd` in its entry')
    expect(said).not.toContain('PATH')
  })

  it('because its folder is a file is told so', async () => {
    using machine = openWith({ command: process.execPath, args: ['-e', ''], cwd: '~/crashes.cjs' })
    const said = await why(machine)
    expect(said).toContain('Failed to connect to "x": its folder (`cwd`) is not a folder: ~/crashes.cjs')
    expect(said).toContain('hint: correct `cwd` in its entry')
  })

  it('and has a folder is said to have no command', async () => {
    using machine = openWith({ command: 'no-such-program' })
    const said = await why(machine)
    expect(said).toContain('Failed to connect to "x": its command was not found')
    expect(said).toContain('hint: check that the command is installed and on your PATH\n')
  })

  it('because it crashes is quoted once, with the line that matters', async () => {
    using machine = openWith({ command: process.execPath, args: ['${HOME}/crashes.cjs'], cwd: '~' })
    const said = await why(machine)
    expect(said).toContain(
      [
        '  the first error it wrote:',
        '    Error: Cannot find module x',
        '  the last lines it wrote:',
        '        at step8 (server.js:8:1)',
      ].join('\n'),
    )
    expect(said.match(/Node\.js v20/g)).toHaveLength(1)
    // The first may have died of a question that it does not know. There is no third.
    expect(readFileSync(machine.at('~/starts'), 'utf8')).toBe('xx')
  })

  it('because a shell did not find it is not started a second time', async () => {
    using machine = openWith({
      command: 'sh',
      args: ['-c', 'echo x >> "$HOME/starts"; no-such-program'],
    })
    expect(await why(machine)).toContain('the process exited with code 127')
    expect(readFileSync(machine.at('~/starts'), 'utf8')).toBe('x\n')
  })

  it('because it only repeats what it reads is not quoted with our own words', async () => {
    using machine = openWith({ command: 'cat' })
    const said = await why(machine)
    expect(said).toContain('Failed to connect to "x": it repeats what it is sent, and is no MCP server')
    expect(said).not.toContain('it said')
  })
})

describe('a default with a variable in it', () => {
  const SAYS = 'process.stderr.write(`it has <${process.env.VALUE}>\\n`); process.exit(126)'

  it.each([
    ['${A:-${B}}', '${A:-${B}}'],
    ['x-${A:-${B:-${C}}}-${B}', 'x-${A:-${B:-${C}}}-second'],
    ['${A:-${B', '${A:-${B'],
  ])('reaches the server whole, never half filled in: %s', async (value, expected) => {
    using machine = openWith({ command: process.execPath, args: ['-e', SAYS], env: { VALUE: value } })
    for (const env of [{ B: 'second' }, { A: 'first', B: 'second' }]) {
      const { stderr } = await machine.run(['test', 'x'], { env })
      expect(stderr).toContain(`it has <${expected}>`)
      if (value.endsWith('}'))
        expect(stderr).toContain('has a variable inside the default of another one, which is not put in')
    }
  })

  it('takes no longer than its length, however often it is begun', async () => {
    using machine = openWith({ command: 'x', env: { VALUE: '${A:-${'.repeat(100_000) } })
    expect((await machine.run(['list'])).code).toBe(0)
  })
})
