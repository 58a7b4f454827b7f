/**
 * relay: what a server asks, on its way back to the client whose request made it ask.
 *
 * in     requests under way; questions of legacy servers, which do not say what they are about
 * out    for every question an answer, or a refusal with the reason; for a client that cannot be asked while it waits, an
 *        unfinished result now and the rest when it comes back
 * never  gives a question to a client that it may not be meant for; keeps a call open for somebody who does not come back
 */
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Params, type Result } from '../../model/message.ts'
import { RpcFaultError } from '../../model/rpc-fault.ts'
import type { ClientHandlers } from '../../model/session.ts'
import type { World } from '../../world/world.ts'
import { requireOffered, wantsLog, type AskCaller, type Caller } from './caller.ts'
import { invalid } from './fault.ts'

/** How long a client may take to come back with an answer. */
const PATIENCE_MS = 10 * 60_000

/** A server that asks more often than this goes in circles. */
const MAX_ROUNDS = 10

/** States of ours begin so; all others are a server's own. */
const MARK = 'plugboard.'

/** One request under way, as its work sees it. */
export interface OpenRequest {
  readonly signal: AbortSignal
  /** Asks whoever waits for it now. */
  readonly ask: AskCaller
  notify(method: string, params: Params): void
  /** Who waits for it now: in another round it may be another request of the same client. */
  readonly caller: Caller
  /** Answers to what the server itself asked in an earlier round, and its note. */
  readonly more: Params
  /** Its person has said yes in an earlier round, for this call alone. */
  readonly isPermitted: boolean
  /** Somebody said yes for this call alone. */
  markPermitted(): void
}

export type Work = (request: OpenRequest) => Promise<Result>

export interface ServerQuestion {
  readonly server: string
  readonly method: string
  readonly params: Params
  readonly signal: AbortSignal
}

interface Conversation {
  readonly caller: Caller
  readonly params: Params
  readonly signal: AbortSignal
}

/** What a state of ours stands for. */
type Kept =
  | { readonly kind: 'call'; readonly call: SuspendedCall }
  /** A yes for one call, and what the server wants back. */
  | { readonly kind: 'permission'; readonly state: unknown; readonly about: string }

export class Relay {
  readonly #world: World
  readonly #underWay = new Map<string, Set<OpenRequest>>()
  readonly #kept = new Map<string, { readonly what: Kept; readonly cancel: () => void }>()

  constructor(world: World) {
    this.#world = world
  }

  /** Carries out a request that may need answers of its caller. */
  converse(conversation: Conversation, work: Work): Promise<Result> {
    const { caller } = conversation
    return caller.ask === undefined
      ? this.#inRounds(conversation, work)
      : this.#atOnce(conversation, caller.ask, work)
  }

  /** For the time of the work, the request is one that the server may mean when it asks. */
  async whileAt<T>(server: string, request: OpenRequest, work: () => Promise<T>): Promise<T> {
    const here = this.#underWay.get(server) ?? new Set()
    this.#underWay.set(server, here)
    here.add(request)
    try {
      return await work()
    } finally {
      here.delete(request)
      if (here.size === 0) this.#underWay.delete(server)
    }
  }

  /** A question of a legacy server. Rejects with an RpcFaultError. */
  async askFor({ server, method, params, signal }: ServerQuestion): Promise<Result> {
    const here = [...(this.#underWay.get(server) ?? [])]
    const clients = new Set(here.map(({ caller }) => caller.client))
    if (clients.size !== 1) throw refusal(clients.size, method)
    return askBack(here.at(-1)!, method, params, signal)
  }

  /** What a server logs without saying about which request. Says whether somebody heard it. */
  tellLog(server: string, params: Params): boolean {
    const here = [...(this.#underWay.get(server) ?? [])]
    const byClient = new Map(here.map((request) => [request.caller.client, request]))
    for (const request of byClient.values())
      if (wantsLog(request.caller, params)) request.notify('notifications/message', params)
    return byClient.size > 0
  }

  close(): void {
    for (const { what, cancel } of this.#kept.values()) {
      cancel()
      if (what.kind === 'call') what.call.abandon()
    }
    this.#kept.clear()
  }

  /** A client with a session is asked while it waits; what a modern server wants is asked of it in the same way. */
  async #atOnce({ caller, signal }: Conversation, ask: AskCaller, work: Work): Promise<Result> {
    let more: Params = {}
    let isPermitted = false
    const request = {
      caller,
      signal,
      ask,
      notify: (method: string, params: Params) => caller.notify(method, params),
      markPermitted: () => void (isPermitted = true),
    }
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const result = await work({ ...request, more, isPermitted })
      if (result['resultType'] !== 'input_required') return result
      more = await meetNeeds(caller, ask, { result, signal })
    }
    const message = `the server asked for more input ${MAX_ROUNDS} times and never finished`
    throw new RpcFaultError({ code: RPC_CODES.internalError, message })
  }

  async #inRounds({ caller, params, signal }: Conversation, work: Work): Promise<Result> {
    const { requestState, inputResponses } = params
    const about = JSON.stringify([params['name'], params['uri'], params['arguments']])
    const kept = isOurs(requestState) ? this.#take(requestState) : undefined
    if (isOurs(requestState) && kept === undefined)
      throw invalid('this `requestState` is not known here, or not any more')
    if (kept?.kind === 'call') {
      if (kept.call.about !== about) throw invalid('this `requestState` belongs to another request')
      kept.call.answer(isObject(inputResponses) ? inputResponses : {})
      return this.#settle(kept.call, { caller, signal })
    }
    if (kept !== undefined && kept.about !== about)
      throw invalid('this `requestState` belongs to another request')
    const state = kept === undefined ? requestState : kept.state
    const more = {
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(state === undefined ? {} : { requestState: state }),
    }
    return this.#settle(new SuspendedCall(work, { caller, more, about, isPermitted: kept !== undefined }), {
      caller,
      signal,
    })
  }

  /** Until the call is over, or asks. */
  async #settle(
    call: SuspendedCall,
    { caller, signal }: Pick<Conversation, 'caller' | 'signal'>,
  ): Promise<Result> {
    const round = await call.next(caller, signal)
    if (round.kind === 'questions') {
      return {
        resultType: 'input_required',
        inputRequests: round.questions,
        requestState: this.#keep({ kind: 'call', call }),
      }
    }
    const { result } = round
    if (result['resultType'] !== 'input_required' || !call.isPermitted) return result
    const { about } = call
    const requestState = this.#keep({ kind: 'permission', state: result['requestState'], about })
    return { ...result, requestState }
  }

  #keep(what: Kept): string {
    const state = MARK + this.#world.keys.random(32)
    const cancel = this.#world.clock.after(PATIENCE_MS, () => {
      this.#kept.delete(state)
      if (what.kind === 'call') what.call.abandon()
    })
    this.#kept.set(state, { what, cancel })
    return state
  }

  /** Each state is good for one answer. */
  #take(state: string): Kept | undefined {
    const kept = this.#kept.get(state)
    this.#kept.delete(state)
    kept?.cancel()
    return kept?.what
  }
}

/** A question about this very request. */
export async function askBack(
  request: OpenRequest,
  ...[method, params, signal]: Parameters<AskCaller>
): Promise<Result> {
  requireOffered(request.caller, method, params)
  return request.ask(method, withoutToken(params), signal)
}

/** What a session wants of those who answer: each kind of question by itself. */
export function toHandlers(
  ask: (question: ServerQuestion) => Promise<Result>,
): Required<Pick<ClientHandlers, 'elicit' | 'sample' | 'roots'>> {
  return {
    elicit: (params, { server, signal }) => ask({ server, method: 'elicitation/create', params, signal }),
    sample: (params, { server, signal }) => ask({ server, method: 'sampling/createMessage', params, signal }),
    async roots({ server, signal }) {
      const { roots } = await ask({ server, method: 'roots/list', params: {}, signal })
      return Array.isArray(roots) ? (roots as readonly Params[]) : []
    },
  }
}

/** A token of the server's own, under which nobody would tell it anything. */
function withoutToken(params: Params): Params {
  const { _meta: meta, ...rest } = params
  if (!isObject(meta) || meta['progressToken'] === undefined) return params
  const { progressToken: _, ...kept } = meta
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}

function isOurs(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(MARK)
}

function refusal(clients: number, method: string): RpcFaultError {
  const why =
    clients === 0
      ? 'no client waits for this server'
      : 'several clients wait for this server, and nobody can tell which is meant'
  return new RpcFaultError({ code: RPC_CODES.internalError, message: `${method} cannot be answered: ${why}` })
}

async function meetNeeds(
  caller: Caller,
  ask: AskCaller,
  { result, signal }: { readonly result: Result; readonly signal: AbortSignal },
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

type Round =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'questions'; readonly questions: Params }

interface Waiting {
  readonly question: Params
  readonly resolve: (answer: Result) => void
  readonly reject: (error: Error) => void
}

/** A call that goes on while its client is away to find an answer. */
class SuspendedCall implements OpenRequest {
  readonly about: string
  readonly more: Params
  caller: Caller
  isPermitted: boolean
  readonly #controller = new AbortController()
  readonly #outcome: Promise<Round>
  readonly #waiting = new Map<string, Waiting>()
  #lastKey = 0
  #onQuestion: (() => void) | undefined

  constructor(
    work: Work,
    from: Pick<OpenRequest, 'caller' | 'more' | 'isPermitted'> & { readonly about: string },
  ) {
    this.about = from.about
    this.more = from.more
    this.caller = from.caller
    this.isPermitted = from.isPermitted
    this.#outcome = work(this).then((result) => ({ kind: 'done', result }))
    // It may fail while nobody listens; whoever comes back hears of it.
    this.#outcome.catch(() => undefined)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly ask: AskCaller = (method, params, signal) =>
    new Promise((resolve, reject) => {
      const key = `plugboard-${++this.#lastKey}`
      const onAbort = (): void => {
        this.#waiting.delete(key)
        reject(new Error('the server took its question back'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const settle = (tell: () => void): void => {
        signal.removeEventListener('abort', onAbort)
        tell()
      }
      this.#waiting.set(key, {
        question: { method, params },
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (error) => settle(() => reject(error)),
      })
      this.#onQuestion?.()
    })

  notify(method: string, params: Params): void {
    this.caller.notify(method, params)
  }

  markPermitted(): void {
    this.isPermitted = true
  }

  answer(responses: Params): void {
    for (const [key, answer] of Object.entries(responses)) {
      const one = this.#waiting.get(key)
      if (one === undefined || !isObject(answer)) continue
      this.#waiting.delete(key)
      one.resolve(answer)
    }
  }

  abandon(): void {
    this.#controller.abort()
    for (const { reject } of this.#waiting.values()) reject(new Error('the client did not come back'))
    this.#waiting.clear()
  }

  async next(caller: Caller, signal: AbortSignal): Promise<Round> {
    this.caller = caller
    const onAbort = (): void => this.abandon()
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([this.#outcome, this.#questions()])
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#onQuestion = undefined
    }
  }

  /** Those that come together go out together. */
  async #questions(): Promise<Round> {
    if (this.#waiting.size === 0) await new Promise<void>((resolve) => (this.#onQuestion = resolve))
    await Promise.resolve()
    const questions = [...this.#waiting].map(([key, { question }]) => [key, question] as const)
    return { kind: 'questions', questions: Object.fromEntries(questions) }
  }
}
