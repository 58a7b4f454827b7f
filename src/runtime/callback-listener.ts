/**
 * callback-listener: the port to which a browser returns.
 *
 * in     the address that the entry wants; then, once the page is known, the answer to wait for
 * out    the address to register; the one answer to our request
 * never  takes a second answer; accepts connections from another machine; ends the wait because of a foreign request
 */
import { isLoopbackName } from '../base/confidential.ts'
import type { SignInPlan } from '../model/sign-in.ts'
import { judgeRequest, type Awaited, type CallbackAnswer } from '../pipeline/authorize/callback.ts'
import { toPage } from '../pipeline/authorize/callback-page.ts'
import { AuthorizeError } from '../pipeline/authorize/problems.ts'
import type { Loopback, LoopbackAnswer, LoopbackListener, LoopbackRequest } from '../world/world.ts'

export interface CallbackListener extends AsyncDisposable {
  readonly redirectUri: string
  /** Resolves with the first answer to our request. `onIgnored` reports other requests. */
  wait(awaited: Awaited, onIgnored: (why: string) => void): Promise<CallbackAnswer>
}

/** Throws AuthorizeError. */
export async function openCallbackListener(loopback: Loopback, plan: SignInPlan): Promise<CallbackListener> {
  const place = placeOf(plan)
  const port = new Port(plan.url)
  const listening = loopback.listen(place.port, (request) => port.answer(request))
  const listener = await listening.catch((error: unknown) => {
    throw cannotListen(error, place.port)
  })
  return port.open(listener, place.at(listener.port))
}

interface CallbackAddress {
  /** Undefined: any free port. */
  readonly port: number | undefined
  /** The address to register, with this port. */
  at(port: number): string
}

function placeOf({ callback, client }: SignInPlan): CallbackAddress {
  if (callback.redirectUri !== undefined) return placeOfUri(callback.redirectUri, callback)
  // A client that the user registered returns to `localhost`, as in Claude Code, which defined these fields. A client
  // that is registered here returns to the number, which RFC 8252 prefers. The port does not change that.
  const host = client === undefined ? '127.0.0.1' : 'localhost'
  return { port: callback.port, at: (port) => `http://${host}:${port}${pathOf(callback) ?? '/callback'}` }
}

type Callback = SignInPlan['callback']

function pathOf({ path }: Callback): string | undefined {
  return path === undefined || path.startsWith('/') ? path : `/${path}`
}

const LISTENED: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost'])

/** Keeps the text as it is, since authorization servers compare it literally. Only a missing port is added. */
function placeOfUri(redirectUri: string, callback: Callback): CallbackAddress {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined
  if (url?.protocol !== 'http:' || !isLoopbackName(url.hostname) || url.username !== '') {
    throw new AuthorizeError('the `redirectUri` of its entry does not lead back to this machine', {
      notes: ['a code that is sent elsewhere is for whoever is there'],
      hints: ['use an address such as `http://127.0.0.1:8765/callback`, and register that one'],
    })
  }
  // The listener has no other address: at another loopback address it would wait in vain.
  if (!LISTENED.has(url.hostname)) {
    throw new AuthorizeError(`the \`redirectUri\` of its entry is at ${url.hostname}, where nobody listens`, {
      hints: ['use `127.0.0.1` or `localhost` in it, and register that one'],
    })
  }
  if (redirectUri.includes('#')) {
    throw new AuthorizeError('the `redirectUri` of its entry has a `#…`, which a browser would not send', {
      hints: ['leave it out, and register the rest'],
    })
  }
  const [, start = '', port, rest = ''] =
    /^(http:\/\/[^/?:]*)(?::(\d+))?(.*)$/is.exec(redirectUri.trim()) ?? []
  requireSame('callbackPort', port === undefined ? undefined : Number(port), callback.port)
  requireSame('callbackPath', url.pathname, pathOf(callback))
  if (port !== undefined) return { port: Number(port), at: () => redirectUri.trim() }
  return { port: callback.port, at: (free) => `${start}:${free}${rest}` }
}

/** Of two different values one would be ignored without a message, and it may be the registered one. */
function requireSame<T>(
  field: 'callbackPort' | 'callbackPath',
  own: T | undefined,
  beside: T | undefined,
): void {
  if (own === undefined || beside === undefined || own === beside) return
  const what = field === 'callbackPort' ? 'ports' : 'paths'
  throw new AuthorizeError(`\`redirectUri\` and \`${field}\` of its entry name different ${what}`, {
    notes: [`\`redirectUri\` has ${String(own)}, and \`${field}\` is ${String(beside)}`],
    hints: [`keep the one that is registered: \`redirectUri\` says all of it, so \`${field}\` can go`],
  })
}

function cannotListen(error: unknown, port: number | undefined): unknown {
  const { code } = error as { readonly code?: string }
  const where = port === undefined ? 'no port of this machine' : `port ${port} of this machine`
  const use = 'where the browser is to come back to,'
  if (code === 'EADDRINUSE')
    return new AuthorizeError(`${where}, ${use} is in use`, {
      hints: ['end the program that uses it, or leave `callbackPort` out where any port will do'],
    })
  if (code === 'EACCES')
    return new AuthorizeError(`${where}, ${use} may not be used by you`, {
      hints: ['register an address with a port of 1024 or more, and give that one as `callbackPort`'],
    })
  return error
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
