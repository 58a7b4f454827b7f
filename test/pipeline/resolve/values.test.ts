/**
 * Values that are commands or names of variables: in our dialect, and in no other.
 */
import { describe, expect, test } from 'vitest'
import { createValueCache } from '../../../src/pipeline/resolve/value-cache.ts'
import { createMemoryWorld } from '../../worlds/memory.ts'
import { createScratch } from '../../worlds/scratch.ts'
import {
  admittedIn,
  codesOf,
  envOf,
  headersOf,
  launchIn,
  secretsOf,
  withShell,
  worldWith,
} from './launching.ts'
import { resolve } from '../../../src/pipeline/resolve/resolve.ts'

const URL = 'https://mcp.example/mcp'

describe('in our files', () => {
  test('a value that begins with `!` is what the command prints, trimmed', async () => {
    const seen: unknown[] = []
    const world = withShell(
      worldWith('ours', { url: URL, headers: { 'X-Key': '!op read key' } }),
      (...call) => {
        seen.push(call)
        return { stdout: '  k-12345\n', exitCode: 0 }
      },
    )
    const launch = await launchIn(world)
    expect(headersOf(launch)).toEqual({ 'X-Key': 'k-12345' })
    expect(secretsOf(launch)).toEqual(['k-12345'])
    // Not in the repository one happens to be in: this is the user's own entry.
    expect(seen).toEqual([['op read key', { cwd: '/home/ada', env: {}, timeoutMs: 10_000 }]])
  })

  test('a value that is the name of a variable is its value; any other is itself', async () => {
    const entry = { command: 'npx', env: { A: 'SHOP_MODE', B: 'SHOP_OTHER', C: 'x SHOP_MODE' } }
    const launch = await launchIn(worldWith('ours', entry, { env: { SHOP_MODE: 'fast' } }))
    expect(envOf(launch)).toEqual({ A: 'fast', B: 'SHOP_OTHER', C: 'x SHOP_MODE' })
    expect(launch.problems).toEqual([])
  })

  test('templates inside a command get their values first', async () => {
    const world = worldWith('ours', { url: URL, headers: { K: '!op read ${ITEM}' } }, { env: { ITEM: 'db' } })
    await launchIn(world)
    expect(world.commands).toEqual(['op read db'])
  })

  test('a variable or a default that begins with `!` is no command: nobody saw it when approving', async () => {
    const entry = { url: URL, headers: { A: '${BANG}', B: '${UNSET:-!touch /tmp/x}' } }
    const world = worldWith('ours', entry, { env: { BANG: '!touch /tmp/y' } })
    const launch = await launchIn(world)
    expect(world.commands).toEqual([])
    expect(headersOf(launch)).toEqual({ A: '!touch /tmp/y', B: '!touch /tmp/x' })
  })

  test.each([
    [
      'ends with an error',
      { exitCode: 3, stdout: 'half', stderr: 'a\nvault is locked\n' },
      'ended with exit code 3',
    ],
    ['prints nothing', { exitCode: 0, stderr: 'vault is locked' }, 'printed nothing'],
    ['takes too long', { timedOut: true, stderr: 'vault is locked' }, 'gave no answer within 10 s'],
    ['is killed', { stderr: 'vault is locked' }, 'could not be run to its end'],
  ])('a command that %s leaves the value out and is reported', async (_, outcome, how) => {
    const launch = await launchIn(
      withShell(worldWith('ours', { url: URL, headers: { K: '!op read key', L: 'stays' } }), () => outcome),
    )
    expect(headersOf(launch)).toEqual({ L: 'stays' })
    expect(launch.problems).toMatchObject([
      {
        code: 'resolve/command-failed',
        severity: 'error',
        message: `the command that gives \`headers.K\` to server \`shop\` ${how}`,
        where: { file: '/home/ada/.config/plugboard/mcp.json', line: 6, server: 'shop' },
        notes: ['the last line it wrote: vault is locked', 'the value was left out'],
      },
    ])
  })

  test('a shell that cannot be started is a problem like any other', async () => {
    const world = withShell(worldWith('ours', { command: 'npx', env: { K: '!op' } }), () => {
      throw new Error('spawn /bin/sh EAGAIN')
    })
    const launch = await launchIn(world)
    expect(launch.problems[0]?.notes[0]).toBe('the last line it wrote: spawn /bin/sh EAGAIN')
  })

  test('what a failing command writes is shown without secrets', async () => {
    const entry = { url: URL, headers: { A: '!op', B: '${MY_VALUE}' } }
    const env = { MY_VALUE: 'abcdef123456', MY_PASSWORD: 'correct horse' }
    const words = 'curl abcdef123456, "correct horse", ghp_abcdefghijklmnop1234 and done'
    const world = withShell(worldWith('ours', entry, { env }), () => ({ exitCode: 1, stderr: words }))
    const launch = await launchIn(world)
    expect(launch.problems[0]?.notes[0]).toBe(
      'the last line it wrote: curl ‹secret›, "‹secret›", ‹secret› and done',
    )
  })

  test('problems come in the order of the file, whichever command ends first', async () => {
    const entry = { url: URL, headers: { A: '!slow', B: '!fast' } }
    let end = (): void => undefined
    const fastEnded = new Promise<void>((done) => (end = done))
    const world = withShell(worldWith('ours', entry), async (command) => {
      if (command === 'slow') await fastEnded
      else end()
      return { exitCode: 1, stderr: command }
    })
    const launch = await launchIn(world)
    expect(launch.problems.map(({ notes }) => notes[0])).toEqual([
      'the last line it wrote: slow',
      'the last line it wrote: fast',
    ])
  })
})

test('a command of a plugin runs in the folder of the plugin', async () => {
  const folder = '/home/ada/.config/plugboard/plugins/tools'
  const text = JSON.stringify({ mcpServers: { shop: { url: URL, headers: { K: '!./key.sh' } } } })
  const folders: string[] = []
  const world = withShell(createMemoryWorld({ files: { [`${folder}/mcp.json`]: text } }), (_, { cwd }) => {
    folders.push(cwd)
    return { stdout: 'k-1', exitCode: 0 }
  })
  await launchIn(world)
  expect(folders).toEqual([folder])
})

describe('in the files of others', () => {
  test('nothing is run and nothing is looked up', async () => {
    const entry = { command: 'npx', env: { A: '!touch /tmp/x', B: 'SHOP_MODE' } }
    const world = worldWith('cursor', entry, { env: { SHOP_MODE: 'fast' } })
    const launch = await launchIn(world)
    expect(world.commands).toEqual([])
    expect(envOf(launch)).toEqual({ A: '!touch /tmp/x', B: 'SHOP_MODE' })
  })
})

describe('the cache', () => {
  const entry = { url: URL, headers: { A: '!op read key', B: '!op read key' } }

  test('runs a command once, for callers at the same time and for later ones', async () => {
    const calls: string[] = []
    const world = withShell(worldWith('ours', entry), (command) => {
      calls.push(command)
      return { stdout: 'k-1', exitCode: 0 }
    })
    const server = await admittedIn(world)
    const context = { world, cache: createValueCache() }
    const both = await Promise.all([resolve(server, context), resolve(server, context)])
    const later = await resolve(server, context)
    expect([...both, later].map(headersOf)).toEqual([1, 2, 3].map(() => ({ A: 'k-1', B: 'k-1' })))
    expect(calls).toEqual(['op read key'])
  })

  test('shares a failure with those who wait for it, and then forgets it', async () => {
    let count = 0
    const world = withShell(worldWith('ours', entry), () =>
      ++count === 1 ? { exitCode: 1 } : { stdout: 'k-1', exitCode: 0 },
    )
    const server = await admittedIn(world)
    const context = { world, cache: createValueCache() }
    expect(codesOf(await resolve(server, context))).toEqual([
      'resolve/command-failed',
      'resolve/command-failed',
    ])
    expect(headersOf(await resolve(server, context))).toEqual({ A: 'k-1', B: 'k-1' })
    expect(count).toBe(2)
  })
})

describe('with a real shell', () => {
  test('the output of a pipeline is the value, and a failure quotes the last line of stderr', async () => {
    using scratch = createScratch()
    const env = { GOOD: '!printf "a\\nb" | tail -n 1', BAD: '!echo first >&2; echo last >&2; exit 7' }
    scratch.write(
      'home/.config/plugboard/mcp.json',
      JSON.stringify({ mcpServers: { shop: { command: 'npx', env } } }),
    )
    const launch = await launchIn(scratch.world)
    expect(envOf(launch)).toEqual({ PATH: process.env['PATH'], GOOD: 'b' })
    expect(launch.problems).toMatchObject([
      {
        message: 'the command that gives `env.BAD` to server `shop` ended with exit code 7',
        notes: ['the last line it wrote: last', 'the value was left out'],
      },
    ])
  })
})
