/**
 * processes: what a server starts goes with it, however it goes and however we go.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { isAlive, openTestBoard, serverEntry } from '../boards/open.ts'
import { call, connectionOf, leftOf, until } from '../boards/watch.ts'
import { createObserved } from '../worlds/observed.ts'
import { createScratch } from '../worlds/scratch.ts'

const LEAVERS = [[[]], [['--holds-pipes']]] as const

describe('the child of a server', () => {
  it.each([...LEAVERS, [['--own-session']]] as const)('is gone when the board is closed %s', async (args) => {
    const seen = createObserved()
    await using test = await openTestBoard(
      { x: serverEntry('leaves-grandchild', ...args) },
      { scratch: seen },
    )
    const grandchild = Number(await call(test.board, 'x', ['grandchild']))
    expect(isAlive(grandchild)).toBe(true)
    await test.board.close()
    expect(isAlive(seen.children[0]!.pid)).toBe(false)
    expect(await leftOf([grandchild], 500)).toEqual([])
  })

  it.each(LEAVERS)('is gone when the server crashes %s, which is noticed at once', async (args) => {
    const seen = createObserved()
    await using test = await openTestBoard(
      { x: serverEntry('leaves-grandchild', ...args) },
      { scratch: seen },
    )
    const { board } = test
    const grandchild = Number(await call(board, 'x', ['grandchild']))
    const startedAt = Date.now()
    process.kill(seen.children[0]!.pid, 'SIGKILL')
    await until(board, () => connectionOf(board, 'x').state !== 'ready')
    expect(Date.now() - startedAt).toBeLessThan(1000)
    expect(await leftOf([grandchild], 500)).toEqual([])
  })

  it('is gone when the server is disconnected or restarted', async () => {
    await using test = await openTestBoard({ x: serverEntry('leaves-grandchild', '--holds-pipes') })
    const { board } = test
    const first = Number(await call(board, 'x', ['grandchild']))
    await board.restart('x')
    const second = Number(await call(board, 'x', ['grandchild']))
    await board.disconnect('x')
    expect(await leftOf([first, second], 500)).toEqual([])
  })
})

describe('closing', () => {
  it('goes on when one server does not leave, and takes less than four seconds', async () => {
    const seen = createObserved()
    await using test = await openTestBoard(
      {
        stubborn: serverEntry('ignores-sigterm'),
        a: serverEntry('well-behaved'),
        b: serverEntry('well-behaved', '--modern'),
      },
      { scratch: seen },
    )
    const others = seen.children.filter(({ program }) => program === 'well-behaved').map(({ pid }) => pid)
    expect(others).toHaveLength(2)
    const startedAt = Date.now()
    const closing = test.board.close()
    expect(await leftOf(others, 900)).toEqual([])
    await closing
    expect(Date.now() - startedAt).toBeLessThan(4000)
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toEqual([])
  })

  it('ends a server that is still starting', async () => {
    const seen = createObserved()
    await using test = await openTestBoard(
      { x: serverEntry('never-answers'), y: serverEntry('slow-start') },
      { scratch: seen, deadlineMs: 300 },
    )
    expect(seen.children).toHaveLength(2)
    await test.board.close()
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toEqual([])
  })

  it('ends what a reload took out of use, whether or not its calls are answered', async () => {
    const seen = createObserved()
    await using test = await openTestBoard({ x: serverEntry('well-behaved') }, { scratch: seen })
    const { board, servers } = test
    const slow = call(board, 'x', ['slow', { ms: 60_000 }]).catch((error: unknown) => String(error))
    servers['x'] = serverEntry('well-behaved', '--modern')
    expect((await board.reload()).changed).toEqual(['x'])
    expect(isAlive(seen.children[0]!.pid)).toBe(true)
    await board.close()
    expect(await slow).toBe('SessionError: the connection was closed')
    expect(seen.children.filter(({ pid }) => isAlive(pid))).toEqual([])
  })

  it('may be asked for twice', async () => {
    const test = await openTestBoard({ x: serverEntry('well-behaved') })
    await Promise.all([test.board.close(), test.board.close()])
    await test[Symbol.asyncDispose]()
  })
})

describe('the death of the host', () => {
  const LIBRARY = new URL('../../dist/index.js', import.meta.url).href

  /** A host of its own: prints the pids of its servers and of what they started. */
  const HOST = `
    const [library, servers] = process.argv.slice(1)
    const { openPlugboard } = await import(library)
    const board = await openPlugboard({ servers: JSON.parse(servers), strict: true, wait: 'all' })
    const pids = await Promise.all(['a', 'b'].map(async (name) => {
      const result = await board.request(name, 'tools/call', { name: 'grandchild', arguments: {} })
      return result.content[0].text
    }))
    console.log(JSON.stringify({ states: board.readiness().servers.map(({ state }) => state), pids }))
  `

  it.each([
    ['SIGKILL', {}],
    ['SIGKILL', { TMPDIR: '/nowhere' }],
    ['SIGTERM', {}],
    ['SIGINT', {}],
  ] as const)(
    'by %s takes every server and its children along, in an environment with %j',
    async (signal, more) => {
      using scratch = createScratch()
      const servers = {
        a: serverEntry('leaves-grandchild'),
        b: serverEntry('leaves-grandchild', '--holds-pipes'),
        c: serverEntry('ignores-sigterm'),
      }
      const args = ['--input-type=module', '-e', HOST, LIBRARY, JSON.stringify(servers)]
      const host = spawn(process.execPath, args, {
        cwd: scratch.project,
        env: { HOME: scratch.home, PATH: process.env['PATH'] ?? '', ...more },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exit = once(host, 'exit')
      const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string]
      const { states, pids } = JSON.parse(line) as { states: string[]; pids: string[] }
      expect(states).toEqual(['ready', 'ready', 'ready'])
      const family = [...pids.map(Number), ...(await childrenOf(host.pid!))]
      // Two grandchildren, three servers, one reaper.
      expect(family).toHaveLength(6)
      process.kill(host.pid!, signal)
      await exit
      expect(await leftOf(family, 5000)).toEqual([])
    },
  )

  it.runIf(process.platform === 'linux')(
    'is seen by a process that was there before the first server, and that was told nothing of its environment',
    async () => {
      using scratch = createScratch()
      const servers = { a: serverEntry('leaves-grandchild'), b: serverEntry('leaves-grandchild') }
      const args = ['--input-type=module', '-e', HOST, LIBRARY, JSON.stringify(servers)]
      const host = spawn(process.execPath, args, {
        cwd: scratch.project,
        env: { HOME: scratch.home, PATH: process.env['PATH'] ?? '', SECRET: 'not for a reaper' },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exit = once(host, 'exit')
      await once(createInterface({ input: host.stdout }), 'line')
      const family = (await childrenOf(host.pid!)).map(factsOf)
      const [reaper, ...others] = family.filter(({ command }) => command === '/bin/sh')
      const first = Math.min(...family.filter((one) => one !== reaper).map(({ pid }) => pid))
      process.kill(host.pid!, 'SIGKILL')
      await exit
      expect(others).toEqual([])
      expect(reaper!.env).toBe('')
      expect(reaper!.pid).toBeLessThan(first)
    },
  )
})

/** The command line and the environment that a process was started with. */
function factsOf(pid: number): { readonly pid: number; readonly command: string; readonly env: string } {
  const read = (what: string): string => readFileSync(`/proc/${pid}/${what}`, 'utf8')
  return { pid, command: read('cmdline').split('\0')[0]!, env: read('environ') }
}

/** Its servers and its reaper. */
async function childrenOf(parent: number): Promise<readonly number[]> {
  const ps = spawn('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  ps.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(ps, 'close')
  const pairs = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid!)
}
