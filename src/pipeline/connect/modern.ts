/**
 * modern: revision 2026-07-28. Every request says which client sends it and what the client can do. A server that needs
 * an answer from the client sends an unfinished result.
 */
import { toAbortSignal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import type { Params, Result } from '../../model/message.ts'
import {
  MODERN_VERSION,
  SessionError,
  type Hello,
  type RequestOptions,
  type Session,
} from '../../model/session.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import type { Channel } from './channel.ts'
import type { Client } from './client.ts'
import { InUse, whileWanted } from './in-use.ts'
import { listen } from './listen.ts'
import { ModernSubscriptions } from './modern-subscriptions.ts'
import { answerQuestion } from './questions.ts'

const KEYS = {
  version: 'io.modelcontextprotocol/protocolVersion',
  info: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

/** A server that asks more often than this probably repeats itself without end. */
const MAX_ROUNDS = 10

/** The delay before a retry, when the server only asked for the same request again. */
const REPEAT_MS = 100

export function envelopeOf({ info, capabilities, handlers }: Client): Params {
  return {
    [KEYS.version]: MODERN_VERSION,
    [KEYS.info]: info,
    [KEYS.capabilities]: capabilities,
    ...(handlers.logLevel === undefined ? {} : { [KEYS.logLevel]: handlers.logLevel }),
  }
}

/** Asks the server to describe itself. Every answer shows its era. */
export function discover(channel: Channel, client: Client, options: RequestOptions): Promise<Result> {
  const params = { _meta: envelopeOf(client) }
  return channel.request('server/discover', params, { ...options, cancelBy: 'nothing' })
}

/** Undefined: the server does not speak the modern revision. */
export function toModernHello(answer: Result): Hello | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = answer
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION)) return undefined
  const serverInfo = isObject(_meta) ? _meta[KEYS.serverInfo] : undefined
  return {
    era: 'modern',
    version: MODERN_VERSION,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) ? { serverInfo } : {}),
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
}

export function openModern(channel: Channel, client: Client, hello: Hello): Session {
  const envelope = envelopeOf(client)
  const hasStreams = channel.wire.kind === 'http'
  const send = (method: string, params: Params, options: RequestOptions): Promise<Result> =>
    channel.request(
      method,
      withEnvelope(params, envelope),
      hasStreams ? { ...options, cancelBy: 'stream' } : options,
    )
  const changes = listenForChanges(channel, client, hello)
  const inUse = new InUse()
  /** Made on first use: most sessions have no subscriptions. */
  let subscriptions: ModernSubscriptions | undefined
  return {
    hello,
    wire: channel.wire.kind,
    async request(method, params = {}, options = {}) {
      inUse.enter()
      const { clock } = client
      let [startedAt, spentMs] = [clock.now(), options.spentMs ?? 0]
      try {
        let result = await send(method, params, options)
        for (let round = 1; isUnfinished(result, options); round++) {
          if (round > MAX_ROUNDS) throw goesInCircles(method)
          const { signal = channel.gone } = options
          const wanted = AbortSignal.any([channel.gone, toAbortSignal(signal)])
          spentMs += clock.now() - startedAt
          const input = await whileWanted(meetNeeds(client, result, wanted), wanted)
          startedAt = clock.now()
          result = await send(method, { ...params, ...input }, { ...options, spentMs }).catch(afterFirst)
        }
        return result
      } finally {
        inUse.leave()
      }
    },
    notify: (method, params) => channel.notify(method, params),
    get subscriptions() {
      subscriptions ??= new ModernSubscriptions(channel, client, envelope)
      return subscriptions
    },
    drained: () => inUse.drained(),
    close() {
      changes.abort()
      subscriptions?.close()
      return channel.close()
    },
  }
}

/** The first round was sent, so the request counts as sent even if a later round was not. */
function afterFirst(error: unknown): never {
  if (!(error instanceof SessionError) || !('wasSent' in error.failure)) throw error
  throw new SessionError({ ...error.failure, wasSent: true }, error.requestId)
}

function isUnfinished(result: Result, { unfinished }: RequestOptions): boolean {
  return result['resultType'] === 'input_required' && unfinished !== 'returned'
}

function withEnvelope(params: Params, envelope: Params): Params {
  return { ...params, _meta: { ...envelope, ...(params['_meta'] as object | undefined) } }
}

/** What the server needs before it can finish, and the server's own state, which goes back unchanged. */
async function meetNeeds(client: Client, result: Result, signal: AbortSignal): Promise<Params> {
  const { inputRequests, requestState } = result
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : []
  if (questions.length === 0) await new Promise<void>((resolve) => client.clock.after(REPEAT_MS, resolve))
  const answers = await Promise.all(
    questions.map(
      async ([key, question]) =>
        [key, await meetNeed(client, isObject(question) ? question : {}, signal)] as const,
    ),
  )
  return {
    ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(requestState === undefined ? {} : { requestState }),
  }
}

async function meetNeed(
  { handlers, server }: Client,
  { method, params }: Params,
  signal: AbortSignal,
): Promise<Result> {
  const question = { method: String(method), params: (params ?? {}) as Params }
  try {
    return await answerQuestion(handlers, question, { server, signal })
  } catch (error) {
    const why =
      error instanceof RpcFaultError ? 'there is nobody here to give it' : 'the host failed to give it'
    const message = `it needs an answer to \`${question.method}\`, and ${why}`
    const failure = new SessionError({ kind: 'bad-answer', message })
    failure.cause = error
    throw failure
  }
}

function goesInCircles(method: string): SessionError {
  const message = `it asked for more input ${MAX_ROUNDS} times and never finished \`${method}\``
  return new SessionError({ kind: 'bad-answer', message })
}

/** On this stream the server reports changes of its lists. */
function listenForChanges(channel: Channel, client: Client, hello: Hello): AbortController {
  const controller = new AbortController()
  const notifications = changesOf(hello)
  if (client.listens === 'always' && Object.keys(notifications).length > 0) {
    const params = { notifications, _meta: envelopeOf(client) }
    listen(channel, client, { params, signal: controller.signal })
  }
  return controller
}

function changesOf({ capabilities }: Hello): Params {
  const changes = (key: string): boolean => {
    const capability = capabilities[key]
    return isObject(capability) && capability['listChanged'] === true
  }
  return {
    ...(changes('tools') ? { toolsListChanged: true } : {}),
    ...(changes('resources') ? { resourcesListChanged: true } : {}),
    ...(changes('prompts') ? { promptsListChanged: true } : {}),
  }
}
