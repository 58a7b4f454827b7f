/**
 * questions: what a server may ask its client, and who answers.
 *
 * The same handlers serve a legacy server, which asks with a request of its own, and a modern one, which asks inside an
 * unfinished result. What nobody here can answer is refused in a way that the server understands.
 */
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import type { ClientHandlers } from '../../model/session.ts'
import { RpcFaultError } from './channel.ts'

/** What is told to the server of what it may ask. */
export function capabilitiesOf({ roots, elicit, sample }: ClientHandlers): Params {
  return {
    ...(roots === undefined ? {} : { roots: {} }),
    ...(sample === undefined ? {} : { sampling: {} }),
    ...(elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true }, url: {} } }),
  }
}

export async function answerQuestion(
  handlers: ClientHandlers,
  { method, params }: { readonly method: string; readonly params: Params },
  signal: AbortSignal,
): Promise<Result> {
  switch (method) {
    case 'ping':
      return {}
    case 'roots/list':
      if (handlers.roots !== undefined) return { roots: await handlers.roots() }
      break
    case 'sampling/createMessage':
      if (handlers.sample !== undefined) return handlers.sample(params, { signal })
      break
    case 'elicitation/create':
      if (handlers.elicit !== undefined)
        return withDefaults(params, await handlers.elicit(params, { signal }))
      break
  }
  throw new RpcFaultError({
    code: RPC_CODES.methodNotFound,
    message: `this client does not answer ${method}`,
  })
}

/** What the person left out is filled with the defaults of the form, as we promise in our capabilities. */
function withDefaults(params: Params, answer: Result): Result {
  const schema = params['requestedSchema'] as { readonly properties?: Record<string, Params> } | undefined
  if (answer['action'] !== 'accept' || schema?.properties === undefined) return answer
  const content: Record<string, unknown> = { ...(answer['content'] as object | undefined) }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (content[name] === undefined && property['default'] !== undefined) content[name] = property['default']
  }
  return { ...answer, content }
}
