/**
 * leaks: whatever the suite prints is searched for secrets; here some are planted, and must be found.
 */
import { spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openMachine, runChild } from '../processes/plugboard.ts'
import { openScreen } from '../processes/screen.ts'
import { runInTerminal } from '../processes/terminal.ts'
import { createScratch } from '../worlds/scratch.ts'
import { requireNoLeaks } from './printed.ts'
import { findSecrets, noteIssued, noteSecret } from './secrets.ts'

function plant(): string {
  const secret = `planted-${randomUUID()}`
  noteSecret(secret)
  return secret
}

describe('a secret is found', () => {
  test.each([
    ['as it is', (secret: string) => `said ${secret} aloud`],
    ['in an address', (secret: string) => `https://x.test/?a=${encodeURIComponent(secret)}&b`],
    ['in base64', (secret: string) => `Basic ${btoa(secret)}`],
    ['over the end of a line', (secret: string) => `${secret.slice(0, 9)}\r\n${secret.slice(9)}`],
    [
      'in a frame, with colours',
      (secret: string) => `│ ${secret.slice(0, 9)}\u001b[0m │\n│ \u001b[1m${secret.slice(9)} │`,
    ],
  ])('%s', (_, say) => {
    const secret = `a/b+c=${randomUUID()}`
    noteSecret(secret)
    expect(findSecrets(say(secret))).toEqual([secret])
    expect(findSecrets(say('another one'))).toEqual([])
  })

  test('that nobody but its maker has seen: a verifier, by its challenge', () => {
    const verifier = randomBytes(32).toString('base64url')
    noteIssued({ code_challenge: createHash('sha256').update(verifier).digest('base64url') })
    expect(findSecrets(`lost ${verifier} on the way`)).toContain(verifier)
  })
})

describe('what prints one is named', () => {
  test('a command', async () => {
    const secret = plant()
    using machine = openMachine()
    await runChild([process.execPath, '-e', `console.error('${secret}')`], { cwd: machine.home, env: {} })
    expect(requireNoLeaks).toThrow(/^secrets were printed: 1 in stderr of \d+ /)
  })

  test('a process that is started by other means, and that nobody reads', async () => {
    const child = spawn(process.execPath, ['-e', `console.log('${plant()}')`])
    child.stdout.resume()
    await once(child, 'close')
    expect(requireNoLeaks).toThrow(/^secrets were printed: 1 in stdout of \d+ /)
  })

  test('a pseudo-terminal, whose lines are shorter than the secret', async () => {
    const start = [process.execPath, '-e', `console.log('${plant()}')`]
    using machine = openMachine()
    await using screen = openScreen(machine, { columns: 20, start })
    await screen.exit
    await screen.until('planted')
    expect(requireNoLeaks).toThrow(/^secrets were printed: 1 in terminal of \d+$/)
  })

  test('a terminal', async () => {
    using machine = openMachine()
    await runInTerminal(machine, `echo ${plant()}`, { columns: 80 })
    expect(requireNoLeaks).toThrow(/^secrets were printed: 1 in stdout of \d+ /)
  })

  test.each([
    ['machine', () => openMachine()],
    ['world', () => createScratch()],
  ])('a file that was left in a %s, but not what the test put there', (_, open) => {
    const secret = plant()
    {
      using place = open()
      if ('run' in place) place.write({ '~/token.json': secret })
      else place.write('home/token.json', secret)
      writeFileSync(join(place.home, 'plugboard.log'), `renewed with ${secret}\n`)
    }
    expect(requireNoLeaks).toThrow(/^secrets were printed: 1 in home\/plugboard\.log$/)
  })

  test.each(['console', 'descriptor of a child', 'difference'])('vitest itself: %s', async (way) => {
    const { code, stdout, stderr } = await runPlanted(way)
    expect(stdout + stderr).toContain('vitest printed 1 secrets of the tests')
    expect(code).toBe(1)
  })

  test('and nothing where nothing was printed', async () => {
    expect(await runPlanted('nothing')).toMatchObject({ code: 0 })
  })
})

function runPlanted(way: string): ReturnType<typeof runChild> {
  const [vitest, config] = ['../../node_modules/vitest/vitest.mjs', 'planted/vitest.config.ts'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  return runChild([process.execPath, vitest!, 'run', '--config', config!], {
    cwd: fileURLToPath(new URL('planted', import.meta.url)),
    env: { PATH: process.env['PATH'] ?? '', PLANTED: way },
  })
}
