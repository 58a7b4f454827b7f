/**
 * running-gateway: whether a gateway of this user runs, its status, and how to stop it.
 *
 * in     a world: the socket is asked, and the record is believed only as far as it can be verified
 */
import { isObject } from '../base/is-object.ts'
import { Lines } from '../base/lines.ts'
import type { Problem } from '../model/problem.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import { gatewayPlaceOf } from '../world/gateway-place.ts'
import type { Visit } from '../world/visit.ts'
import type { Pipe, World } from '../world/world.ts'
import { readRecord, type GatewayRecord } from './gateway-record.ts'

export interface GatewayStatus {
  readonly gateway:
    | ({ readonly running: true } & GatewayRecord)
    /** `died`: the process that was recorded and is gone. */
    | { readonly running: false; readonly died?: Pick<GatewayRecord, 'pid' | 'startedAt'> }
  readonly servers: readonly GatewayServer[]
}

export interface GatewayServer {
  readonly name: string
  readonly state: string
  readonly tools: number
  /** The folder that it is served for. The home folder: for all clients. */
  readonly project: string
  /** When the server entered this state. */
  readonly since?: string
  readonly nextTry?: string
  readonly problem?: string
}

/** A gateway that takes longer will not answer. */
const PATIENCE_MS = 10_000

/** Rejects with a ProblemError when a gateway runs but does not answer. */
export async function askStatus(world: World, version: string): Promise<GatewayStatus> {
  const pipe = await tryConnect(world)
  if (pipe === undefined) return { gateway: { running: false, ...diedOf(world) }, servers: [] }
  const line = await ask(world, pipe, { version, wants: { kind: 'status' } })
  const word: unknown = line === undefined ? undefined : JSON.parse(line)
  if (isObject(word) && isObject(word['status'])) return word['status'] as unknown as GatewayStatus
  throw new ProblemError(silent(readRecord(world)))
}

/**
 * Resolves with the gateway that is gone now, its servers too; undefined when none ran. Rejects with a ProblemError.
 */
export async function stopGateway(world: World, version: string): Promise<GatewayRecord | undefined> {
  const pipe = await tryConnect(world)
  if (pipe === undefined) return undefined
  const record = readRecord(world)
  // The gateway ends its servers first. Their limits are longer than the wait for an answer.
  const isOver = await untilEnd(world, pipe, { version, wants: { kind: 'stop' } })
  if (!isOver || (record !== undefined && !(await untilGone(world, record.pid))))
    throw new ProblemError(silent(record))
  return record
}

export function alreadyRuns(status: GatewayStatus): Problem {
  const { gateway } = status
  const which = gateway.running ? describe(gateway) : ''
  return createProblem({
    code: 'serve/already-runs',
    message: `a gateway runs already${which}`,
    hints: ['to see how it is, run `plugboard status`', 'to end it, run `plugboard stop`'],
  })
}

export function describe({ pid, address, version }: GatewayRecord): string {
  return `: pid ${pid}, version ${version}${address === undefined ? '' : `, ${address}`}`
}

function silent(record: GatewayRecord | undefined): Problem {
  const which = record === undefined ? '' : ` (pid ${record.pid})`
  return createProblem({
    code: 'serve/silent',
    message: `a gateway runs${which}, and does not answer`,
    hints:
      record === undefined
        ? []
        : [`to end it without asking, run \`kill -9 ${record.pid}\`; its servers end with it`],
  })
}

async function tryConnect(world: World): Promise<Pipe | undefined> {
  try {
    return await world.pipes.connect(gatewayPlaceOf(world).socket)
  } catch {
    return undefined // no gateway listens
  }
}

/** Returns the first line of the answer. */
function ask(world: World, pipe: Pipe, visit: Visit): Promise<string | undefined> {
  return new Promise((resolve) => {
    const finish = (line: string | undefined): void => {
      cancel()
      pipe.end()
      resolve(line)
    }
    const cancel = world.clock.after(PATIENCE_MS, () => finish(undefined))
    const lines = new Lines({
      maxLength: 64 * 1024 * 1024,
      onLine: finish,
      onTooLong: () => finish(undefined),
    })
    pipe.onInput({ onText: (text) => lines.push(text), onEnd: () => finish(undefined) })
    pipe.write(`${JSON.stringify(visit)}\n`)
  })
}

const LONGEST_END_MS = 60_000

function untilEnd(world: World, pipe: Pipe, visit: Visit): Promise<boolean> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      pipe.end()
      resolve(false)
    }
    let cancel = world.clock.after(PATIENCE_MS, giveUp)
    pipe.onInput({
      // The gateway has received the request. Its servers may take their time to end.
      onText() {
        cancel()
        cancel = world.clock.after(LONGEST_END_MS, giveUp)
      },
      onEnd: () => {
        cancel()
        resolve(true)
      },
    })
    pipe.write(`${JSON.stringify(visit)}\n`)
  })
}

const LOOK_MS = 10

async function untilGone({ daemons, clock }: World, pid: number): Promise<boolean> {
  const giveUpAt = clock.now() + PATIENCE_MS
  while (daemons.isAlive(pid)) {
    if (clock.now() > giveUpAt) return false
    await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))
  }
  return true
}

/** A gateway that ended in good order has removed its record. */
function diedOf(world: World): { readonly died?: Pick<GatewayRecord, 'pid' | 'startedAt'> } {
  const record = readRecord(world)
  if (record === undefined || world.daemons.isAlive(record.pid)) return {}
  return { died: { pid: record.pid, startedAt: record.startedAt } }
}
