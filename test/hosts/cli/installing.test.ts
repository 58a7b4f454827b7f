/**
 * installing: the built command and servers that a real `npx` installs from a registry that takes its time.
 */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { openNpmRegistry, type NpmRegistry } from '../../servers/npm-registry.ts'

/** npm itself takes a second to start, and more while other tests run. */
const LIMIT = { timeout: 90_000 }

/** A stand-in for npx that never ends its installation, and takes a moment to undo it. */
const INSTALLS_FOR_EVER = `#!${process.execPath}
const { appendFileSync } = require('node:fs')
const note = (word) => appendFileSync(process.env.HOME + '/' + process.argv.at(-1), word)
process.on('SIGTERM', () => {
  note('asked ')
  setTimeout(() => { note('undone.'); process.exit(1) }, 6000)
})
setInterval(() => undefined, 1000)
`

function openWith(registry: NpmRegistry, name: string, more: object = {}): Machine {
  const server = { command: 'npx', args: ['-y', name], env: registry.env, ...more }
  return openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { installed: server } } })
}

/** Folders of npx that hold its lock. */
function locksOf(machine: Machine): readonly string[] {
  const folder = machine.at('~/.npm/_npx')
  return readdirSync(folder).filter((name) => existsSync(`${folder}/${name}/concurrency.lock`))
}

describe.skipIf(process.platform === 'win32')('a server that npx installs', () => {
  it('is ready the next time, after Ctrl-C while it was being installed', LIMIT, async () => {
    await using registry = await openNpmRegistry(['well-behaved'])
    using machine = openWith(registry, 'well-behaved')
    const first = machine.run(['list', '--check'], { interruptWhen: registry.asked('tarball') })
    await expect(first).rejects.toThrow('ended by SIGINT')
    expect(locksOf(machine)).toHaveLength(1)
    // While the first one waits for its package, the next one waits for the lock.
    void registry.asked('package', 3).then(() => registry.release())
    const second = await machine.run(['list', '--check'])
    expect(second.stdout).toContain('1 of 1 server ready')
    expect(locksOf(machine)).toEqual([])
  })

  it('is ready the next time, after a command that did not wait for it', LIMIT, async () => {
    await using registry = await openNpmRegistry(['well-behaved'])
    using machine = openWith(registry, 'well-behaved')
    const first = await machine.run(['tools', '--deadline', '3000'])
    expect(first.stdout).not.toContain('echo')
    void registry.asked('package', 3).then(() => registry.release())
    const second = await machine.run(['list', '--check'])
    expect(second.stdout).toContain('1 of 1 server ready')
  })

  it('is asked once to end, and a gateway in the background waits for that', LIMIT, async () => {
    // Several, as signals that follow each other at once are one to their process.
    const names = ['one', 'two', 'three', 'four']
    const entry = (name: string): object => ({ command: '${HOME}/bin/npx', args: ['-y', name] })
    using machine = openMachine({
      '~/.config/plugboard/mcp.json': {
        mcpServers: Object.fromEntries(names.map((name) => [name, entry(name)])),
      },
      '~/bin/npx': INSTALLS_FOR_EVER,
    })
    chmodSync(machine.at('~/bin/npx'), 0o755)
    const signals = (): readonly string[] =>
      names.map((name) =>
        existsSync(machine.at(`~/${name}`)) ? readFileSync(machine.at(`~/${name}`), 'utf8') : '',
      )
    await machine.run(['tools', '--deadline', '3000'])
    await expect.poll(signals, { timeout: 20_000 }).toEqual(names.map(() => 'asked undone.'))
    await machine.run(['serve', '--daemon'])
    await machine.run(['tools', '--deadline', '3000'])
    await machine.run(['stop'])
    expect(signals()).toEqual(names.map(() => 'asked undone.asked undone.'))
  })

  it('may take longer to install than to start, and that is said', LIMIT, async () => {
    await using registry = await openNpmRegistry(['well-behaved'])
    using machine = openWith(registry, 'well-behaved', { startupTimeout: 2000 })
    const running = machine.run(['list', '--check'], {
      onErrorOutput: (said) => said.includes('installing installed') && registry.release(),
    })
    const { code, stdout, stderr } = await running
    expect(stderr).toBe('installing installed: this may take minutes the first time\n')
    expect(stdout).toContain('1 of 1 server ready')
    expect(code).toBe(0)
  })

  it('has its startup limit once it is installed', LIMIT, async () => {
    await using registry = await openNpmRegistry(['never-answers'])
    using machine = openWith(registry, 'never-answers', { startupTimeout: 2000 })
    registry.release()
    const { code, stderr } = await machine.run(['list', '--check'])
    expect(stderr).toContain('no answer after 2.0 s')
    expect(code).toBe(1)
  })
})
