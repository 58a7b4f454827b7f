/**
 * pool-handlers: finds the client that answers what one of several sessions at a server asks.
 *
 * in     the handlers of the host, the clients that may replace it, and the audience of that session
 * out    the same kinds of handlers; a question gets the audience of its session, unless it has a narrower one already
 */
import type { Audience, ClientHandlers, HandlerContext } from '../model/session.ts'

/** `find`: returns, at the time of the question, the handlers to ask in place of the host. */
export function handlersFor(
  handlers: ClientHandlers,
  find: () => ClientHandlers | undefined,
  audience: Audience,
): ClientHandlers {
  const here = (): ClientHandlers => find() ?? handlers
  const meaning = (context: HandlerContext): HandlerContext => ({
    ...context,
    audience: context.audience ?? audience,
  })
  const { roots, sample, elicit } = handlers
  return {
    ...handlers,
    ...(roots === undefined ? {} : { roots: (context) => (here().roots ?? roots)(meaning(context)) }),
    ...(sample === undefined
      ? {}
      : { sample: (params, context) => (here().sample ?? sample)(params, meaning(context)) }),
    ...(elicit === undefined
      ? {}
      : {
          elicit: (params, context) => {
            const answerer = here().elicit ?? elicit
            const mode = params['mode'] === 'url' ? 'url' : 'form'
            const answer = typeof answerer === 'function' ? answerer : answerer[mode]
            if (answer === undefined) throw new Error('this client does not offer it')
            return answer(params, meaning(context))
          },
        }),
  }
}
