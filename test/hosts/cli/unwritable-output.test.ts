/**
 * unwritable-output: what a command does when its answer, or what it says beside it, cannot be written.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BIN, type Machine, openMachine } from '../../processes/plugboard.ts'

const WELL_BEHAVED = fileURLToPath(new URL('../../servers/well-behaved.mjs', import.meta.url))

let machine: Machine
beforeAll(() => {
  const servers = { a: { command: process.execPath, args: [WELL_BEHAVED] } }
  machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: servers } })
})
afterAll(() => machine[Symbol.dispose]())

/** The command behind a shell that redirects as given. */
function redirected(how: string): readonly string[] {
  return ['/bin/sh', '-c', `exec "$0" "$@" ${how}`, process.execPath, BIN]
}

describe.runIf(process.platform === 'linux')('a disk that is full', () => {
  test.each([
    'list',
    'list --json',
    'tools',
    'tools --json',
    'call a echo text=x',
    'call a nothing --json',
    'get nothing --json',
    '--version',
    '--help',
  ])('for stdout is the reason why `%s` fails', async (line) => {
    const ran = await machine.run(line.split(' '), { start: redirected('>/dev/full') })
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: cannot write to standard output: no space left on device\n',
    })
  })

  test('for stderr keeps nothing from being answered, and the exit code is what it was', async () => {
    const start = redirected('2>/dev/full')
    expect(await machine.run(['call', 'a', 'echo', 'text=x'], { start })).toMatchObject({
      code: 0,
      stdout: 'x\n',
    })
    expect(await machine.run(['get', 'nothing'], { start })).toMatchObject({ code: 2, stdout: '' })
  })

  test('for both leaves the exit code', async () => {
    expect(await machine.run(['list'], { start: redirected('>/dev/full 2>&1') })).toMatchObject({ code: 1 })
  })
})

test('a reader that goes away is no error, also of a pipe that is full', async () => {
  const args = [BIN, 'call', 'a', 'echo', `text=${'x'.repeat(100_000)}`, '--json']
  const env = { PATH: process.env['PATH'] ?? '', HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off' }
  const child = spawn(process.execPath, args, {
    cwd: machine.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdout.once('readable', () => child.stdout.destroy())
  const [code] = (await once(child, 'close')) as [number]
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})
