/**
 * ask: one request to one server, by the rules of the server's definition and its tools.
 */
import type { Signal } from '../base/abort.ts'
import { Turns } from '../base/turns.ts'
import { wantedPages } from '../model/elicitation.ts'
import type { Params, Result } from '../model/message.ts'
import { SessionError, type RequestOptions, type Session } from '../model/session.ts'
import { toParamHeaders } from '../pipeline/list/param-headers.ts'
import { ProblemError } from '../problem/problem.ts'
import type { Clock } from '../world/world.ts'
import { needsPage, notReady } from './board-problems.ts'
import { redactProblem } from './redact-problem.ts'
import type { Reached, Supervisor } from './supervisor.ts'

export interface Question {
  readonly method: string
  readonly params: Params | undefined
  readonly options: RequestOptions | undefined
}

/** How long the server may be silent. */
const DEFAULT_TIMEOUT_MS = 60_000

/** How long a request may take in all. */
const DEFAULT_MAX_DURATION_MS = 60 * 60_000

/** Not an async function: with a live session, the request reaches it without an extra promise. */
export function ask(one: Supervisor, question: Question, clock: Clock): Promise<Result> {
  const send = (): Promise<Result> =>
    askAtOnce(one, question, clock).catch((error: unknown) => {
      throw explain(one, error)
    })
  return question.method === 'tools/call' && takesTurns(one)
    ? inTurn(one, question.options?.signal, send)
    : send()
}

/** The caller takes the server's turn first where the server wants turns, and explains the errors. */
export function askAtOnce(one: Supervisor, question: Question, clock: Clock): Promise<Result> {
  const session = one.liveSession
  return session === undefined ? askLater(one, question, clock) : send(one, session, question)
}

/** For servers that take one call at a time. */
const queues = new WeakMap<Supervisor, Turns>()

/** Whether the server's definition says that it takes one call at a time. */
export function takesTurns({ server }: Supervisor): boolean {
  return server.supportsParallelCalls === false
}

/** Runs the call after those before it. */
export function inTurn<T>(one: Supervisor, signal: Signal | undefined, work: () => Promise<T>): Promise<T> {
  const turns = queues.get(one) ?? new Turns()
  queues.set(one, turns)
  return turns.take(work, { signal, refuse: () => new SessionError({ kind: 'aborted', wasSent: false }) })
}

/** A call waits for its server no longer than for an answer. Another supervisor may then answer. */
async function askLater(one: Supervisor, question: Question, clock: Clock): Promise<Result> {
  const { session, by } = await untilLive(one, question.options ?? {}, clock)
  try {
    return await send(by, session, question)
  } catch (error) {
    throw explain(by, error)
  }
}

/** Rejects with a ProblemError, also when the time is over. Rejects with a SessionError when aborted. */
export function untilLive(
  one: Supervisor,
  { timeoutMs = timeoutOf(one), signal }: Pick<RequestOptions, 'signal' | 'timeoutMs'>,
  clock: Clock,
): Promise<Reached> {
  const work = one.reach(signal)
  if (timeoutMs === 0) return work
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () =>
      reject(new ProblemError(notReady(one.server.name, timeoutMs))),
    )
    work.then(resolve, reject).finally(cancel)
  })
}

function send(
  one: Supervisor,
  session: Session,
  { method, params, options = {} }: Question,
): Promise<Result> {
  if (isWhole(options) && !takesHeaders(session)) return session.request(method, params, options)
  if (method !== 'tools/call') {
    const { timeoutMs = timeoutOf(one), maxDurationMs = maxDurationOf(one) } = options
    return session.request(method, params, { ...options, timeoutMs, maxDurationMs })
  }
  const headers = options.headers ?? (takesHeaders(session) ? headersFor(one, params) : undefined)
  return session.request(method, params, { ...options, ...limitsOf(one, options), headers })
}

/** The limits of a tool call, with defaults for what the caller leaves out. */
export function limitsOf(
  one: Supervisor,
  {
    timeoutMs = timeoutOf(one),
    maxDurationMs = maxDurationOf(one),
    onProgress = IGNORE,
  }: Pick<RequestOptions, Limits>,
): Required<Pick<RequestOptions, Limits>> {
  return { timeoutMs, maxDurationMs, onProgress }
}

type Limits = 'timeoutMs' | 'maxDurationMs' | 'onProgress'

/** Names the pages that the server wants opened first. The error itself is the cause, for callers that pass it on. */
export function explain(one: Supervisor, error: unknown): unknown {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return error
  const pages = wantedPages(error.failure.error)
  if (pages.length === 0) return error
  const problem = redactProblem(needsPage(one.server, pages), (text) => one.redact(text))
  return new ProblemError(problem, { cause: error })
}

/** True when no default is missing. Copying an object with many members takes longer than the rest of a call here. */
function isWhole({ timeoutMs, maxDurationMs, onProgress }: RequestOptions): boolean {
  return timeoutMs !== undefined && maxDurationMs !== undefined && onProgress !== undefined
}

/** A long call may report progress, which keeps it alive, even when the caller does not listen. */
const IGNORE = (): void => undefined

export function timeoutOf({ server }: Supervisor): number {
  return server.timeoutMs ?? DEFAULT_TIMEOUT_MS
}

function maxDurationOf({ server }: Supervisor): number {
  return server.maxDurationMs ?? DEFAULT_MAX_DURATION_MS
}

function takesHeaders({ wire, hello }: Session): boolean {
  return wire === 'http' && hello.era === 'modern'
}

/** A server may require that arguments of a tool are repeated in headers. */
function headersFor(
  { offering }: Supervisor,
  params: Params | undefined,
): Readonly<Record<string, string>> | undefined {
  const tool = offering?.tools.find(({ name }) => name === params?.['name'])
  return tool === undefined ? undefined : toParamHeaders(tool, (params?.['arguments'] ?? {}) as Params)
}
