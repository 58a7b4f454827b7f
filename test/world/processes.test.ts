import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { createNodeProcesses } from '../../src/world/node/processes.ts'
import type { Child, SpawnRequest } from '../../src/world/world.ts'
import { isAlive } from '../boards/open.ts'
import { leftOf } from '../boards/watch.ts'
import { DIST } from '../processes/plugboard.ts'
import { createScratch } from '../worlds/scratch.ts'

const processes = createNodeProcesses('linux')

interface Run {
  readonly child: Child
  /** Everything that was told, in its order; pieces of one stream together. */
  readonly told: (readonly [kind: string, what: unknown])[]
  /** Resolves with the last thing that is told. */
  readonly over: Promise<void>
  /** Resolves when the output holds this text. */
  wrote(text: string): Promise<void>
}

function start(script: string, change: Partial<SpawnRequest> = {}, world = processes): Run {
  const told: [string, unknown][] = []
  const { promise: over, resolve: finish } = createPromise()
  let watchers: (() => void)[] = []
  const add = (kind: string, text: string): void => {
    const last = told.at(-1)
    if (last?.[0] === kind) last[1] = `${String(last[1])}${text}`
    else told.push([kind, text])
    for (const look of watchers) look()
  }
  const request = {
    command: process.execPath,
    args: ['-e', script],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: tmpdir(),
    ...change,
  }
  const [output, errors] = [new TextDecoder(), new TextDecoder()]
  const child = world.spawn(request, {
    onOutput: (bytes) => add('out', output.decode(bytes, { stream: true })),
    onErrorOutput: (bytes) => add('err', errors.decode(bytes, { stream: true })),
    onExit(exit) {
      told.push(['exit', exit])
      finish()
    },
    onFailed(error) {
      told.push(['failed', error])
      finish()
    },
  })
  const wrote = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!told.some(([kind, what]) => kind === 'out' && String(what).includes(text))) return
        watchers = watchers.filter((one) => one !== look)
        resolve()
      }
      watchers.push(look)
      look()
    })
  return { child, told, over, wrote }
}

function createPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: (() => void) | undefined
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve: resolve! }
}

/** A process that neither the end of its input nor SIGTERM ends; what it prints says that it is ready. */
const STUBBORN = `process.on('SIGTERM', () => console.log('asked')); setTimeout(() => 0, 60_000); console.log('ready')`

describe('a child', () => {
  it('tells all it wrote before its exit', async () => {
    const run = start(`process.stdout.write('x'.repeat(300_000), () => process.exit(7))`)
    await run.over
    expect(run.told).toEqual([
      ['out', 'x'.repeat(300_000)],
      ['exit', { exitCode: 7 }],
    ])
  })

  it('gives every byte of its output, however that is cut', async () => {
    const text = 'a€😀'.repeat(50_000)
    const run = start(`process.stdout.write('a€😀'.repeat(50_000))`)
    await run.over
    expect(run.told[0]).toEqual(['out', text])
  })

  it('reads what is written, and the end of it', async () => {
    const run = start(`process.stdin.pipe(process.stdout)`)
    run.child.write('hello ')
    run.child.write('there')
    run.child.write('!'.repeat(300_000))
    run.child.endInput()
    await run.over
    expect(run.told).toEqual([
      ['out', `hello there${'!'.repeat(300_000)}`],
      ['exit', { exitCode: 0 }],
    ])
  })

  it.each([
    ['wrote something', `process.stdout.write('x'.repeat(300_000))`],
    ['wrote nothing', ''],
    [
      'left its output to somebody, who is heard to the end',
      `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => console.log("late"), 300)'],
        { stdio: ['ignore', 'inherit', 'ignore'], detached: true }).unref()`,
    ],
    [
      'closed its output before',
      `require('node:fs').closeSync(1); process.stdin.once('data', () => process.exit(0))`,
    ],
  ])('that %s is over when all was told, and waits for no timer', async (_, script) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const run = start(script)
      run.child.write('go')
      await run.over
      expect(run.told.at(-1)).toEqual(['exit', { exitCode: 0 }])
    } finally {
      vi.useRealTimers()
    }
  })

  it('may go while much is written to it', async () => {
    const run = start(`process.stdin.once('data', () => process.exit(3))`)
    run.child.write('a'.repeat(3_000_000))
    await run.over
    run.child.write('b'.repeat(3_000_000))
    expect(run.told).toEqual([['exit', { exitCode: 3 }]])
  })

  it('may be written to, and ended, when it is gone', async () => {
    const run = start(`process.exit(0)`)
    await run.over
    run.child.write('hello')
    run.child.endInput()
    run.child.end('terminate')
    run.child.end('kill')
    expect(run.told).toEqual([['exit', { exitCode: 0 }]])
  })

  it('is asked to leave, and then not asked', async () => {
    const run = start(STUBBORN)
    await run.wrote('ready')
    run.child.end('terminate')
    await run.wrote('asked')
    run.child.end('kill')
    await run.over
    expect(run.told.at(-1)).toEqual(['exit', { signal: 'SIGKILL' }])
  })

  it.each(['terminate', 'kill'] as const)('is ended with what it started (%s)', async (how) => {
    const run = start(`
      const child = require('node:child_process').spawn('sleep', ['60'], { stdio: 'ignore' })
      console.log('child ' + child.pid + '.')
      setTimeout(() => 0, 60_000)`)
    await run.wrote('.')
    const pid = Number(/child (\d+)/.exec(String(run.told[0]![1]))![1])
    expect(isAlive(pid)).toBe(true)
    run.child.end(how)
    await run.over
    expect(await leftOf([pid, run.child.pid!], 500)).toEqual([])
  })

  it('is over with its exit, even when a process that left its group holds the pipes', async () => {
    const run = start(`
      const child = require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit', detached: true })
      console.log('child ' + child.pid + '.')
      child.unref()`)
    await run.over
    expect(run.told.at(-1)).toEqual(['exit', { exitCode: 0 }])
    process.kill(Number(/child (\d+)/.exec(String(run.told[0]![1]))![1]), 'SIGKILL')
  })
})

describe('a child that cannot be started', () => {
  it.each([
    ['no such program', { command: 'no-such-program-4711' }, 'ENOENT'],
    ['no such folder', { cwd: '/no/such/folder' }, 'ENOCWD'],
    ['a folder that is a file', { cwd: process.execPath }, 'ENOTDIR'],
    ['a zero byte', { args: ['a\0b'] }, 'ERR_INVALID_ARG_VALUE'],
    ['arguments beyond measure', { args: ['x'.repeat(1024 * 1024)] }, 'E2BIG'],
  ])('because of %s is told of, once and not at once', async (_, change, code) => {
    const run = start('', change)
    expect(run.told).toEqual([])
    expect(run.child.pid).toBe(undefined)
    run.child.write('hello')
    run.child.end('kill')
    await run.over
    expect(run.told).toEqual([['failed', { code, message: expect.any(String) as unknown }]])
  })

  it('because the system has no more pipes to give is told of, too', () => {
    const url = JSON.stringify(pathToFileURL(join(DIST, 'index.js')).href)
    const script = `
      import { openSync } from 'node:fs'
      import { createNodeWorld } from ${url}
      const { processes } = createNodeWorld()
      try { for (;;) openSync('/dev/null') } catch { /* none is left */ }
      const tell = (kind) => (what) => console.log(kind, what.code ?? what.exitCode)
      const listener = { onOutput: () => 0, onErrorOutput: () => 0, onExit: tell('exit'), onFailed: tell('failed') }
      processes.spawn({ command: process.execPath, args: ['-e', '0'], env: {}, cwd: '/' }, listener)`
    const node = `ulimit -n 100 && exec "$0" --input-type=module -e "$1"`
    const run = spawnSync('sh', ['-c', node, process.execPath, script], { encoding: 'utf8' })
    expect({ out: run.stdout, err: run.stderr, code: run.status }).toEqual({
      out: 'failed EMFILE\n',
      err: '',
      code: 0,
    })
  })

  it.each([
    ['an argument that no script can be given', 'npx.cmd', 'two\nlines', 'EINVAL'],
    ['a program that is not there', 'npx.exe', '', 'ENOENT'],
  ])('on Windows because of %s is told of in the same way', async (_, file, arg, code) => {
    using scratch = createScratch()
    scratch.write('project/npx.cmd', '')
    const change = { command: join(scratch.project, file), args: [arg] }
    const run = start('', change, createNodeProcesses('win32'))
    expect(run.told).toEqual([])
    await run.over
    expect(run.told).toEqual([['failed', { code, message: expect.any(String) as unknown }]])
  })
})
