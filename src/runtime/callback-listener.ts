/**
 * callback-listener: the port that a browser comes back to.
 *
 * in     where the entry wants it; then, once the page is known, what to wait for
 * out    the address to register; the one answer that is ours
 * never  takes a second answer; is reached by another machine; ends the wait because of a stranger
 */
import { isLoopbackName } from '../base/confidential.ts'
import type { SignInPlan } from '../model/sign-in.ts'
import { judgeRequest, type Awaited, type CallbackAnswer } from '../pipeline/authorize/callback.ts'
import { toPage } from '../pipeline/authorize/callback-page.ts'
import { AuthorizeError } from '../pipeline/authorize/problems.ts'
import type { Loopback, LoopbackAnswer, LoopbackListener, LoopbackRequest } from '../world/world.ts'

export interface CallbackListener extends AsyncDisposable {
  readonly redirectUri: string
  /** Resolves with the first answer that is ours; `onIgnored` is told of what was not. */
  wait(awaited: Awaited, onIgnored: (why: string) => void): Promise<CallbackAnswer>
}

/** Throws AuthorizeError. */
export async function openCallbackListener(loopback: Loopback, plan: SignInPlan): Promise<CallbackListener> {
  const wanted = placeOf(plan)
  const port = new Port(plan.url)
  const listening = loopback.listen(wanted.port, (request) => port.answer(request))
  const listener = await listening.catch((error: unknown) => {
    throw inUse(error, wanted.port)
  })
  return port.open(listener, `http://${wanted.host}:${listener.port}${wanted.path}`)
}

interface Place {
  readonly host: string
  readonly port: number | undefined
  readonly path: string
}

function placeOf({ callback, client }: SignInPlan): Place {
  const { redirectUri, port, path = '/callback' } = callback
  if (redirectUri !== undefined) return placeOfUri(redirectUri, port)
  // Whoever registered a client with a port wrote `localhost`, as other agents have it; RFC 8252 prefers the number.
  const host = client !== undefined && port !== undefined ? 'localhost' : '127.0.0.1'
  return { host, port, path: path.startsWith('/') ? path : `/${path}` }
}

const LISTENED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost'])

function placeOfUri(redirectUri: string, callbackPort: number | undefined): Place {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined
  if (url?.protocol !== 'http:' || !isLoopbackName(url.hostname)) {
    throw new AuthorizeError('the `redirectUri` of its entry does not lead back to this machine', {
      notes: ['a code that is sent elsewhere is for whoever is there'],
      hints: ['use an address such as `http://127.0.0.1:8765/callback`, and register that one'],
    })
  }
  // Where the listener is: another loopback address would be waited for in vain.
  if (!LISTENED.has(url.hostname)) {
    throw new AuthorizeError(`the \`redirectUri\` of its entry is at ${url.hostname}, where nobody listens`, {
      hints: ['use `127.0.0.1` or `localhost` in it, and register that one'],
    })
  }
  return {
    host: url.hostname,
    port: url.port === '' ? callbackPort : Number(url.port),
    path: url.pathname,
  }
}

function inUse(error: unknown, port: number | undefined): unknown {
  if ((error as { readonly code?: string }).code !== 'EADDRINUSE') return error
  return new AuthorizeError(`port ${port} of this machine, where the browser is to come back to, is in use`, {
    hints: ['end the program that uses it, or leave `callbackPort` out where any port will do'],
  })
}

class Port {
  readonly #host: string
  #awaited: Awaited | undefined
  #onAnswer: ((answer: CallbackAnswer) => void) | undefined
  #onIgnored: ((why: string) => void) | undefined

  constructor(serverUrl: string) {
    this.#host = new URL(serverUrl).host
  }

  open(listener: LoopbackListener, redirectUri: string): CallbackListener {
    return {
      redirectUri,
      wait: (awaited, onIgnored) =>
        new Promise((resolve) => {
          this.#awaited = awaited
          this.#onAnswer = resolve
          this.#onIgnored = onIgnored
        }),
      [Symbol.asyncDispose]: () => listener.close(),
    }
  }

  answer(request: LoopbackRequest): LoopbackAnswer {
    if (this.#awaited === undefined) return page(404, 'Nothing here', 'Nobody is waiting for this page.')
    if (this.#onAnswer === undefined) {
      return page(410, 'Already done', 'This sign-in has had its answer; another one is not taken.')
    }
    const judged = judgeRequest(request, this.#awaited)
    if (judged.kind === 'ignored') {
      // Browsers ask for icons of their own accord.
      if (judged.status !== 404) this.#onIgnored?.(judged.why)
      return page(judged.status, 'Not accepted', `This is not the answer that was waited for: ${judged.why}.`)
    }
    this.#onAnswer(judged.answer)
    this.#onAnswer = undefined
    return judged.answer.kind === 'code'
      ? page(
          200,
          'Thank you',
          `You can close this page: the sign-in to ${this.#host} goes on where you began it.`,
        )
      : page(400, 'Not signed in', 'The sign-in was refused. Where you began it, it says why.')
  }
}

function page(status: number, title: string, text: string): LoopbackAnswer {
  return { status, html: toPage(title, text) }
}
