/**
 * questions: converts questions of servers to the form of each era.
 *
 * in     a question of a server, or an unfinished result
 * out    the client's answers
 * never  asks a client for what it did not declare
 */
import type { Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import type { Params, Result } from '../../model/message.ts'
import type { Audience, ClientHandlers } from '../../model/session.ts'
import { canBeAsked, requireOffered, type AskCaller, type Caller } from './caller.ts'
import type { OpenRequest } from './open-request.ts'

export interface ServerQuestion {
  readonly server: string
  readonly method: string
  readonly params: Params
  readonly signal: AbortSignal
  /** The clients that may be asked. Undefined: any client. */
  readonly audience?: Audience | undefined
}

/** A running request, or a client that servers may ask without one. */
type Asked = Pick<OpenRequest, 'ask' | 'missed'> & { readonly caller: Pick<Caller, 'capabilities'> }

/** Sends a question about this request. */
export async function askBack(
  request: Asked,
  ...[method, params, signal]: Parameters<AskCaller>
): Promise<Result> {
  const { capabilities } = request.caller
  if (!canBeAsked(capabilities, method, params)) request.missed(neededFor(method, params))
  requireOffered(request.caller, method, params)
  return request.ask(method, withoutToken(params), signal)
}

function neededFor(method: string, { mode = 'form' }: Params): Params {
  switch (method) {
    case 'roots/list':
      return { roots: {} }
    case 'sampling/createMessage':
      return { sampling: {} }
    default:
      return { elicitation: { [String(mode)]: {} } }
  }
}

/** The handlers that a session needs: one for each kind of question. */
export function toHandlers(
  ask: (question: ServerQuestion) => Promise<Result>,
): Required<Pick<ClientHandlers, 'elicit' | 'sample' | 'roots'>> {
  return {
    elicit: (params, { server, signal, audience }) =>
      ask({ server, method: 'elicitation/create', params, signal, audience }),
    sample: (params, { server, signal, audience }) =>
      ask({ server, method: 'sampling/createMessage', params, signal, audience }),
    roots: async ({ server, signal, audience }) =>
      rootsIn(await ask({ server, method: 'roots/list', params: {}, signal, audience })),
  }
}

/** The roots in an answer to `roots/list`. */
export function rootsIn({ roots }: Result): readonly Params[] {
  return Array.isArray(roots) ? roots.filter(isObject) : []
}

/** Removes the server's own progress token: the client could report no progress under it. */
function withoutToken(params: Params): Params {
  const { _meta: meta, ...rest } = params
  if (!isObject(meta) || meta['progressToken'] === undefined) return params
  const { progressToken: _, ...kept } = meta
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}

/**
 * Asks one by one what an unfinished result of a modern server needs. The server's `requestState` goes back unchanged.
 */
export async function meetNeeds(
  caller: Caller,
  ask: AskCaller,
  { result, signal }: { readonly result: Result; readonly signal: Signal },
): Promise<Params> {
  const { inputRequests, requestState } = result
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : []
  const answers = await Promise.all(
    questions.map(async ([key, question]) => {
      const { method, params } = isObject(question) ? question : {}
      const asked = isObject(params) ? params : {}
      requireOffered(caller, String(method), asked)
      return [key, await ask(String(method), asked, signal)] as const
    }),
  )
  return {
    ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(requestState === undefined ? {} : { requestState }),
  }
}
