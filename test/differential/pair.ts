/**
 * pair: the same server twice, once under our session and once under the SDK's client.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'
import { startProgram, type PROGRAMS } from '../servers/http/program.ts'
import {
  createDiary,
  type Diary,
  type OpenOptions,
  type OpenOracle,
  type Oracle,
  type Place,
} from './oracle.ts'
import { openOurs } from './ours.ts'
import { openTheirs } from './theirs.ts'

/** Where a server is. One that has to run beforehand is started by it, and ended with the pair. */
export type Target = (diary: Diary) => Promise<Started>

interface Started extends Partial<AsyncDisposable> {
  readonly place: Place
}

/** A program in this repository, with its arguments. */
export function onStdio(path: string, ...args: readonly string[]): Target {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  return async () => ({ place: { kind: 'stdio', args: [file, ...args] } })
}

export function onPort(program: keyof typeof PROGRAMS): Target {
  return async (diary) => {
    const started = await startProgram(program, { onLine: diary.writeLine })
    const [kind, path] = program === 'everything-sse' ? (['sse', 'sse'] as const) : (['http', 'mcp'] as const)
    return {
      place: { kind, url: `${started.origin}/${path}` },
      [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
    }
  }
}

export interface Pair extends AsyncDisposable {
  readonly ours: Oracle
  readonly theirs: Oracle
}

export async function openPair(target: Target, options: Omit<OpenOptions, 'diary'>): Promise<Pair> {
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const closeOne of closers.splice(0).toReversed()) await closeOne()
  }
  const open = async (openOracle: OpenOracle): Promise<Oracle> => {
    const diary = createDiary()
    const started = await target(diary)
    closers.push(() => started[Symbol.asyncDispose]?.())
    const oracle = await openOracle(started.place, { ...options, diary })
    closers.push(() => oracle[Symbol.asyncDispose]())
    return oracle
  }
  const [ours, theirs] = await Promise.allSettled([open(openOurs), open(openTheirs)])
  if (ours.status === 'fulfilled' && theirs.status === 'fulfilled')
    return { ours: ours.value, theirs: theirs.value, [Symbol.asyncDispose]: close }
  await close()
  throw [ours, theirs].find((one) => one.status === 'rejected')!.reason
}

/** One thing that is done through both. */
export interface Scenario {
  /** A claim, about both of them. */
  readonly name: string
  run(oracle: Oracle): Promise<unknown>
  /** What both come to, as far as it is worth writing down: equal nonsense is no agreement. */
  readonly expected: unknown
}

export interface Stage {
  readonly name: string
  readonly target: Target
  readonly options: Omit<OpenOptions, 'diary'>
  readonly scenarios: readonly Scenario[]
}

/** The scenarios of a stage, in their order, on one pair. */
export function playStage({ name, target, options, scenarios }: Stage): void {
  describe(name, () => {
    let pair: Pair
    beforeAll(async () => {
      pair = await openPair(target, options)
    })
    afterAll(() => pair[Symbol.asyncDispose]())

    for (const { name: claim, run, expected } of scenarios) {
      it(claim, async () => {
        const [ours, theirs] = await Promise.all([run(pair.ours), run(pair.theirs)])
        expect(theirs).toMatchObject(expected as object)
        expect(ours).toEqual(theirs)
      })
    }
  })
}
