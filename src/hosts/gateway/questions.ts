/**
 * questions: what servers ask, in the form that each side has for it.
 *
 * in     a question of a server, or an unfinished result
 * out    the client's answers
 * never  asks a client what it did not offer to answer
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
  /** Of whom it may be asked. Undefined: of anybody. */
  readonly audience?: Audience | undefined
}

/** A request under way; or a client that may be asked while it has none. */
type Asked = Pick<OpenRequest, 'ask' | 'missed'> & { readonly caller: Pick<Caller, 'capabilities'> }

/** A question about this very request. */
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

/** What a session wants of those who answer: each kind of question by itself. */
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

/** Of an answer to `roots/list`. */
export function rootsIn({ roots }: Result): readonly Params[] {
  return Array.isArray(roots) ? roots.filter(isObject) : []
}

/** A token of the server's own, under which nobody would tell it anything. */
function withoutToken(params: Params): Params {
  const { _meta: meta, ...rest } = params
  if (!isObject(meta) || meta['progressToken'] === undefined) return params
  const { progressToken: _, ...kept } = meta
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}

/** What an unfinished result of a modern server wants, asked one by one; and its own note, which goes back untouched. */
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
