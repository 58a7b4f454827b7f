/**
 * visitors: the gateway of a user, opened here, with commands that take as long as they should, and end as they should.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openDaemon } from '../../../src/hosts/gateway/daemon.ts'
import type { DaemonRequest, OpenDaemon } from '../../../src/hosts/shared/gateway-host.ts'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { gatewayPlaceOf } from '../../../src/world/gateway-place.ts'
import { createScratch, type Scratch } from '../../worlds/scratch.ts'
import { speak } from './daemon.ts'

function request(scratch: Scratch, more: Partial<DaemonRequest> = {}): DaemonRequest {
  return {
    world: scratch.world,
    version: '1',
    sharing: { idleMs: 60_000, maxInstances: 4 },
    load:
      () =>
      ({ world }) =>
        loadCatalog(world, {}),
    command: async () => 0,
    ...more,
  }
}

function visit(scratch: Scratch, env: Readonly<Record<string, string>> = {}): object {
  const terminal = { canAsk: false, hasColor: { out: false, err: false } }
  return { version: '1', wants: { kind: 'command', argv: ['x'], cwd: scratch.project, env, terminal } }
}

function say(scratch: Scratch, env?: Readonly<Record<string, string>>): Promise<string> {
  return speak(gatewayPlaceOf(scratch.world).socket, visit(scratch, env), GO)
}

/** The answer to the greeting. */
const GO = { go: true }

test('a command that failed once it had begun is nobody else’s to do', async () => {
  using scratch = createScratch()
  await using _ = await openDaemon(request(scratch, { command: () => Promise.reject(new Error('broke')) }))
  expect(await say(scratch)).toBe('')
})

test('a command that cannot begin is left to the visitor', async () => {
  using scratch = createScratch()
  const command = (): never => {
    throw new Error('none of ours')
  }
  await using _ = await openDaemon(request(scratch, { command }))
  expect(JSON.parse(await say(scratch))).toMatchObject({ say: 'alone' })
})

test('a command begins when its visitor answers the greeting, and not before', async () => {
  using scratch = createScratch()
  let times = 0
  const command = async (): Promise<number> => (times += 1)
  await using _ = await openDaemon(request(scratch, { command }))
  const { socket } = gatewayPlaceOf(scratch.world)
  const pipe = connect(socket)
  pipe.setEncoding('utf8').write(`${JSON.stringify(visit(scratch))}\n`)
  const [greeting] = (await once(pipe, 'data')) as [string]
  expect(JSON.parse(greeting)).toEqual({ say: 'hello', pid: process.pid })
  pipe.end()
  await once(pipe, 'close')
  expect(await say(scratch)).toContain('"code":1')
  expect(times).toBe(1)
})

test('the end waits for commands under way, up to its limit', async () => {
  using scratch = createScratch()
  let finish!: (code: number) => void
  let begun!: () => void
  const hasBegun = new Promise<void>((resolve) => (begun = resolve))
  const command = (): Promise<number> => {
    begun()
    return new Promise((resolve) => (finish = resolve))
  }
  const open = async (): Promise<OpenDaemon> => openDaemon(request(scratch, { command }))
  await using daemon = await open()
  const answer = say(scratch)
  await hasBegun
  const order: string[] = []
  await daemon.drain(1)
  const drained = daemon.drain(60_000).then(() => order.push('drained'))
  await daemon.status()
  order.push('finished')
  finish(7)
  await drained
  expect(order).toEqual(['finished', 'drained'])
  expect(JSON.parse(await answer)).toEqual({ say: 'exit', code: 7 })
})

test('Ctrl-C before the command listens for it is heard when it does', async () => {
  using scratch = createScratch()
  await using _ = await openDaemon(
    request(scratch, {
      command: (_argv, terminal) => new Promise((resolve) => void terminal.onInterrupt(() => resolve(130))),
    }),
  )
  const { socket } = gatewayPlaceOf(scratch.world)
  const said = await speak(socket, visit(scratch), GO, { interrupt: true })
  expect(JSON.parse(said)).toEqual({ say: 'exit', code: 130 })
})

test('what cannot start leaves nothing behind, and the next one can', async () => {
  using scratch = createScratch()
  const audit = { file: scratch.home, arguments: 'left-out' } as const
  await expect(openDaemon(request(scratch, { audit }))).rejects.toThrow()
  expect(scratch.world.files.read(gatewayPlaceOf(scratch.world).record).kind).toBe('missing')
  await using daemon = await openDaemon(request(scratch))
  expect((await daemon.status()).gateway.running).toBe(true)
})

test('a board is the visitor’s own where an entry may look at the whole environment', async () => {
  using scratch = createScratch()
  const one = { command: process.execPath, args: ['-e', ''], inheritEnv: true }
  scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { one } }))
  const boards: unknown[] = []
  const command: DaemonRequest['command'] = async (_argv, _terminal, { board }) => {
    boards.push(board)
    return 0
  }
  await using _ = await openDaemon(request(scratch, { command }))
  await say(scratch, { PATH: '/bin', SHLVL: '1' })
  await say(scratch, { PATH: '/bin', SHLVL: '2' })
  await say(scratch, { PATH: '/bin', AWS_PROFILE: 'dev' })
  expect(boards[1]).toBe(boards[0])
  expect(boards[2]).not.toBe(boards[0])
})
