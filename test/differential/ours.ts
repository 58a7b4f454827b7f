/**
 * ours: our session as an oracle.
 */
import type { LaunchTransport } from '../../src/model/launch.ts'
import type { Params, Result } from '../../src/model/message.ts'
import {
  MODERN_VERSION,
  SessionError,
  type ClientHandlers,
  type SessionFailure,
} from '../../src/model/session.ts'
import { connect } from '../../src/pipeline/connect/connect.ts'
import { list } from '../../src/pipeline/list/list.ts'
import { createNodeWorld } from '../../src/world/node/world.ts'
import { ANSWERS, CLIENT, type OpenOptions, type Oracle, type Outcome, type Place } from './oracle.ts'

export async function openOurs(place: Place, options: OpenOptions): Promise<Oracle> {
  const { diary, era } = options
  const world = createNodeWorld()
  const signal = new AbortController().signal
  const session = await connect(
    {
      name: 'x',
      transport: toTransport(place, world.cwd),
      protocol: era === 'modern' ? MODERN_VERSION : era,
      timeoutMs: 0,
      startupTimeoutMs: 0,
      secrets: [],
      problems: [],
    },
    {
      world,
      client: CLIENT,
      handlers: toHandlers(options),
      listens: 'always',
      inProcess: {},
      signal,
      listener: {
        onNotification: (method, params) => diary.write('told', method, params),
        onLog: (line, from) => void (from === 'stderr' && diary.writeLine(line)),
        onFirstSign: () => undefined,
        onEnd: () => undefined,
      },
    },
  )
  const { version, capabilities, serverInfo, instructions } = session.hello
  return {
    hello: { version, capabilities, serverInfo, instructions },
    diary,
    hearsLastProgress: 'always',
    async ask(method, params, { onProgress, ...rest } = {}) {
      const request = onProgress === undefined ? rest : { ...rest, onProgress: withoutToken(onProgress) }
      return session.request(method, params, request).then(toOutcome, (error: unknown) => {
        if (error instanceof SessionError) return toFailed(error.failure)
        throw error
      })
    },
    async listTools() {
      const { tools } = await list(session, { signal, clock: world.clock, timeoutMs: 10_000 })
      return tools
    },
    [Symbol.asyncDispose]: () => session.close(),
  }
}

function toTransport(place: Place, cwd: string): LaunchTransport {
  if (place.kind !== 'stdio')
    return { kind: place.kind, url: place.url, headers: new Map(), fallback: 'none' }
  const env = new Map([['PATH', process.env['PATH'] ?? '']])
  return { kind: 'stdio', command: process.execPath, args: place.args, env, cwd }
}

function toHandlers({ diary, answers = 'all', logLevel }: OpenOptions): ClientHandlers {
  if (answers === 'none') return { logLevel }
  return {
    logLevel,
    async elicit(params) {
      diary.write('asked', 'elicitation/create', params)
      return ANSWERS.elicit
    },
    async sample(params) {
      diary.write('asked', 'sampling/createMessage', params)
      return ANSWERS.sample
    },
    async roots() {
      diary.write('asked', 'roots/list', {})
      return ANSWERS.roots
    },
  }
}

/** PROGRESS_TOKEN */
function withoutToken(tell: (progress: Params) => void): (progress: Params) => void {
  return (told) => {
    const { progressToken: _, ...progress } = told
    tell(progress)
  }
}

function toOutcome({ resultType, ...result }: Result): Outcome {
  // RESULT_TYPE, and nothing but it: any other type is part of what is compared.
  return {
    result: resultType === undefined || resultType === 'complete' ? result : { resultType, ...result },
  }
}

function toFailed(failure: SessionFailure): Outcome {
  if (failure.kind === 'not-started') throw new Error(failure.problem.message)
  return failure.kind === 'rpc' ? { error: failure.error } : { failed: failure.kind }
}
