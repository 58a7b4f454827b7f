/**
 * scenarios: what is done through both clients, for more than one server.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Params } from '../../src/model/message.ts'
import type { Oracle, Outcome } from './oracle.ts'
import type { Scenario } from './pair.ts'

/** A request, and what comes of it. */
export function asking(
  name: string,
  [method, params]: readonly [string, Params?],
  expected: object,
): Scenario {
  return { name, run: (oracle) => oracle.ask(method, params), expected }
}

export function calling(
  name: string,
  [tool, args = {}]: readonly [string, object?],
  expected: object,
): Scenario {
  return asking(name, ['tools/call', { name: tool, arguments: args }], expected)
}

export function call(oracle: Oracle, name: string, args: object = {}): Promise<Outcome> {
  return oracle.ask('tools/call', { name, arguments: args })
}

export function text(said: string): object {
  return { result: { content: [{ type: 'text', text: said }] } }
}

export function hello(expected: object): Scenario {
  return { name: 'hear the same hello', run: async ({ hello: heard }) => heard, expected }
}

/** Raw pages one after the other, and the whole as each client reads it for itself. */
export function allTools(names: readonly string[]): Scenario {
  return {
    name: 'read the same tools, page by page and all at once',
    async run(oracle) {
      const pages: unknown[] = []
      for (let cursor: unknown, isMore = true; isMore;) {
        const outcome = await oracle.ask('tools/list', cursor === undefined ? {} : { cursor })
        if (!('result' in outcome)) return outcome
        pages.push(outcome.result)
        cursor = (outcome.result as Params)['nextCursor']
        isMore = cursor !== undefined
      }
      return { pages, tools: await oracle.listTools() }
    },
    expected: { tools: names.map((name) => ({ name })) },
  }
}

export const MANY: Scenario = {
  name: 'get the answers to many calls at once, each its own',
  run: (oracle) =>
    Promise.all(Array.from({ length: 60 }, (_, at) => call(oracle, 'echo', { text: `${at}` }))),
  expected: Array.from({ length: 60 }, (_, at) => text(`${at}`)),
}

export const GIVEN_UP_BEFORE: Scenario = {
  name: 'do not begin a call that was given up before',
  run: (oracle) => oracle.ask('tools/call', { name: 'echo' }, { signal: AbortSignal.abort() }),
  expected: { failed: 'aborted' },
}

/** Of a tool `work` that tells of `steps`. */
export const PROGRESS: Scenario = {
  name: 'hear of the same progress, and of the same result',
  async run(oracle) {
    const progress: Params[] = []
    const onProgress = (one: Params): void => void progress.push(one)
    const params = { name: 'work', arguments: { steps: 4, ms: 20 } }
    const outcome = await oracle.ask('tools/call', params, { onProgress })
    const all = [1, 2, 3, 4].map((step) => ({ progress: step, total: 4, message: `step ${step} of 4` }))
    const isAll = isDeepStrictEqual(progress, all)
    const isNearlyAll = isDeepStrictEqual(progress, all.slice(0, -1))
    const isRight = isAll || (isNearlyAll && oracle.hearsLastProgress === 'perhaps')
    return { outcome, progress: isRight ? 'each step, in order' : progress }
  },
  expected: {
    outcome: text('worked 4 steps'),
    progress: 'each step, in order',
  },
}

const wasCancelled = ({ diary }: Oracle): number =>
  diary.lines.filter((line) => line.startsWith('cancelled')).length

/** Of a tool `work`, at a server that writes `cancelled` to stderr. */
export const CANCELLATION: Scenario = {
  name: 'give up a call in the same way, and the server learns of it',
  async run(oracle) {
    const before = wasCancelled(oracle)
    const controller = new AbortController()
    const params = { name: 'work', arguments: { steps: 1000, ms: 50 } }
    const onProgress = (): void => controller.abort()
    const outcome = await oracle.ask('tools/call', params, { signal: controller.signal, onProgress })
    await oracle.diary.until(() => wasCancelled(oracle) > before)
    return {
      outcome,
      cancelled: wasCancelled(oracle) - before,
      next: await call(oracle, 'echo', { text: 'well' }),
    }
  },
  expected: { outcome: { failed: 'aborted' }, cancelled: 1, next: text('well') },
}

export const TIMEOUT: Scenario = {
  name: 'wait equally long for an answer, and the server learns that nobody waits any more',
  async run(oracle) {
    const before = wasCancelled(oracle)
    const params = { name: 'work', arguments: { ms: 60_000 } }
    const outcome = await oracle.ask('tools/call', params, { timeoutMs: 150 })
    await oracle.diary.until(() => wasCancelled(oracle) > before)
    return { outcome, cancelled: wasCancelled(oracle) - before }
  },
  expected: { outcome: { failed: 'timeout' }, cancelled: 1 },
}

/** Of a tool `grow`, at a server that then says that its tools changed. */
export const LIST_CHANGED: Scenario = {
  name: 'hear that the tools changed',
  async run(oracle) {
    const { diary } = oracle
    const from = diary.told.length
    const outcome = await call(oracle, 'grow')
    await diary.until(() => diary.told.length > from)
    const tools = (await oracle.listTools()) as readonly { readonly name: string }[]
    return { outcome, told: diary.told.slice(from), last: tools.at(-1)?.name }
  },
  expected: { told: [{ method: 'notifications/tools/list_changed', params: {} }], last: 'grown_1' },
}
