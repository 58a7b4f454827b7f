/**
 * probe: finds out whether a server wants a sign-in, and reads its challenge.
 *
 * in     its address, and the headers of its entry
 * out    its challenge; or that it answers without a sign-in; or that the answer is unclear
 * never  sends a token; waits for more than the head of an answer
 */
import { parseChallenge } from '../../model/challenge.ts'
import { describeNetwork } from '../../model/network.ts'
import { LEGACY_VERSIONS } from '../../model/session.ts'
import type { Challenge } from '../../model/sign-in.ts'
import type { HttpHead, HttpRequest, World } from '../../world/world.ts'
import { ANSWER_MS, GuardError } from './guarded-fetch.ts'

export type Probe =
  | { readonly kind: 'challenged'; readonly challenge: Challenge }
  | { readonly kind: 'open' }
  /** Another fault, or the server expects another request. */
  | { readonly kind: 'unclear'; readonly status: number }

export interface ProbeRequest {
  readonly url: string
  readonly transport: 'http' | 'sse'
  readonly headers: ReadonlyMap<string, string>
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks for a list of what the server offers first, because some servers let any client initialize without a sign-in.
 * Throws a GuardError when the server does not answer, and the reason of its signal after an abort.
 */
export async function probe(world: Pick<World, 'http' | 'clock'>, request: ProbeRequest): Promise<Probe> {
  if (request.transport === 'sse') return judge(await askHead(world, request, undefined))
  const offered = judge(await askHead(world, request, LIST))
  return offered.kind === 'challenged' ? offered : judge(await askHead(world, request, HELLO))
}

function judge({ status, headers }: HttpHead): Probe {
  if (status === 401 || status === 403) {
    const authenticate = toText(headers['www-authenticate'])
    const challenge = parseChallenge(status, { authenticate, dpopNonce: toText(headers['dpop-nonce']) })
    return { kind: 'challenged', challenge }
  }
  return status < 300 ? { kind: 'open' } : { kind: 'unclear', status }
}

function askHead(
  { http, clock }: Pick<World, 'http' | 'clock'>,
  request: ProbeRequest,
  message: string | undefined,
): Promise<HttpHead> {
  const { signal } = request
  const url = new URL(request.url)
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    let end = (): void => undefined
    const settle = (tell: () => void): void => {
      cancel()
      signal?.removeEventListener('abort', onAbort)
      end()
      tell()
    }
    const onAbort = (): void => settle(() => reject(signal!.reason as Error))
    const fail = (refusal: 'too-slow' | 'unreachable', message: string): void =>
      settle(() => reject(new GuardError(refusal, url, message)))
    const cancel = clock.after(ANSWER_MS, () =>
      fail('too-slow', `${url.host} gave no answer within ${ANSWER_MS / 1000} s`),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
    end = http.request(toRequest(request, message), {
      onHead: (head) => {
        // In a later microtask, when `end` exists.
        queueMicrotask(() => settle(() => resolve(head)))
        return 'nothing'
      },
      onText: () => undefined,
      onEnd: () => undefined,
      onFailed: ({ code, message, via }) =>
        fail('unreachable', describeNetwork({ code, message, host: url.host, ...(via && { via }) })),
    })
  })
}

/** The first message of any session: a server that wants a sign-in refuses it before it reads the message. */
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: {},
    clientInfo: { name: 'plugboard', version: '0' },
  },
})

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: {} })

function toRequest({ url, headers }: ProbeRequest, message: string | undefined): HttpRequest {
  const { origin, pathname, search } = new URL(url)
  const own = [...headers].flatMap(([name, value]) => [name.toLowerCase(), value])
  const common = { origin, path: pathname + search, isUrgent: true }
  if (message === undefined)
    return { ...common, method: 'GET', headers: ['accept', 'text/event-stream', ...own] }
  const accept = ['accept', 'application/json, text/event-stream', 'content-type', 'application/json']
  return { ...common, method: 'POST', headers: [...accept, ...own], body: message }
}

function toText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}
