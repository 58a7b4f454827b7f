/**
 * questions: what a server may ask its client, and which handler answers.
 *
 * The same handlers serve both eras. A legacy server asks with its own request; a modern server asks inside an
 * unfinished result. The client refuses a question without a handler in a way that the server understands.
 */
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import type { Answerer, ClientHandlers } from '../../model/session.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'

type Mode = 'form' | 'url'

/** The capabilities that the client declares to the server. */
export function capabilitiesOf(handlers: ClientHandlers): Params {
  const { roots, sample } = handlers
  const elicitation = {
    ...(elicitorFor(handlers, 'form') === undefined ? {} : { form: { applyDefaults: true } }),
    ...(elicitorFor(handlers, 'url') === undefined ? {} : { url: {} }),
  }
  return {
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
    ...(sample === undefined ? {} : { sampling: {} }),
    // Empty would mean forms, because older revisions knew only forms.
    ...(Object.keys(elicitation).length === 0 ? {} : { elicitation }),
  }
}

/** Undefined: the host offers no such handler. */
export function elicitorFor({ elicit }: ClientHandlers, mode: Mode): Answerer | undefined {
  return typeof elicit === 'function' ? elicit : elicit?.[mode]
}

export interface QuestionContext {
  readonly server: string
  readonly signal: AbortSignal
  /** Where the server reports that the user is done with a page. */
  readonly completions?: { of(page: Params): Promise<void>; forget(page: Params): void } | undefined
}

export async function answerQuestion(
  handlers: ClientHandlers,
  { method, params }: { readonly method: string; readonly params: Params },
  context: QuestionContext,
): Promise<Result> {
  const { server, signal } = context
  switch (method) {
    case 'ping':
      return {}
    case 'roots/list':
      if (handlers.roots !== undefined) return { roots: await handlers.roots({ server, signal }) }
      break
    case 'sampling/createMessage':
      if (handlers.sample !== undefined) return handlers.sample(params, { server, signal })
      break
    case 'elicitation/create':
      if (handlers.elicit !== undefined) return elicit(handlers, params, context)
      break
  }
  throw new RpcFaultError({
    code: RPC_CODES.methodNotFound,
    message: `this client does not answer ${method}`,
  })
}

async function elicit(
  handlers: ClientHandlers,
  params: Params,
  { server, signal, completions }: QuestionContext,
): Promise<Result> {
  const { mode = 'form' } = params
  const answer = mode === 'form' || mode === 'url' ? elicitorFor(handlers, mode) : undefined
  if (answer === undefined) {
    const message = `this client does not offer elicitation of mode ${JSON.stringify(mode)}`
    throw new RpcFaultError({ code: RPC_CODES.invalidParams, message })
  }
  if (mode === 'form') return withDefaults(params, await answer(params, { server, signal }))
  try {
    return await answer(params, { server, signal, completed: completions?.of(params) })
  } finally {
    completions?.forget(params)
  }
}

/** Fills what the user left out with the defaults of the form, as the declared capabilities promise. */
function withDefaults(params: Params, answer: Result): Result {
  const schema = params['requestedSchema'] as { readonly properties?: Record<string, Params> } | undefined
  if (answer['action'] !== 'accept' || schema?.properties === undefined) return answer
  const content: Record<string, unknown> = { ...(answer['content'] as object | undefined) }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (content[name] === undefined && property['default'] !== undefined) content[name] = property['default']
  }
  return { ...answer, content }
}
