/**
 * problems: explains why a server could not be reached, in words that its user can act on.
 */
import { inShell } from '../../base/in-shell.ts'
import { isObject } from '../../base/is-object.ts'
import { toPrintable } from '../../base/printable.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import { parseChallenge, wantsMoreScopes } from '../../model/challenge.ts'
import type { Stage } from '../../model/connection.ts'
import { isLasting, nameProxy } from '../../model/network.ts'
import type { Problem } from '../../model/problem.ts'
import { SessionError, type SessionFailure } from '../../model/session.ts'
import type { Challenge } from '../../model/sign-in.ts'
import { showTemplate } from '../../model/template.ts'
import type { WireFailure } from '../../model/wire.ts'
import { createProblem, whereOrigin } from '../../problem/problem.ts'
import {
  adviseOnAddress,
  adviseOnLimit,
  adviseOnNetwork,
  adviseOnSignIn,
  PAGE_HINTS,
  SIGN_IN_HINT,
} from './hints.ts'
import { LONGEST_MS } from './machine.ts'
import { isPage, titleOf } from './page.ts'

export interface Circumstances {
  readonly stage: Stage
  readonly failure: SessionFailure
  /** The last lines that it wrote to stderr, redacted. */
  readonly lastLines: readonly string[]
  /** The first line that looks like an error, unless it is among the last lines. */
  readonly firstError?: string | undefined
  readonly tookMs: number
  /** Why Plugboard cannot use the stored sign-in, and what to do when a new sign-in is not enough. */
  readonly whyNoSignIn?: Pick<Problem, 'message' | 'hints'> | undefined
  /** A package runner was still installing the server. */
  readonly isInstalling?: boolean | undefined
}

/** How many lines of its stderr a message quotes. */
const QUOTED_LINES = 5

export function failedToConnect(server: AdmittedServer, how: Circumstances): Problem {
  const { failure } = how
  if (failure.kind === 'not-started') return failure.problem
  if (needsSignIn(failure)) return signInNeeded(server, how)
  return createProblem({
    code: `connect/${codeOf(failure)}`,
    message: `Failed to connect to "${server.name}": ${sayFailure(failure, how)}`,
    where: whereOrigin(server.found.origin, server.name),
    notes: [
      ...sayWhatRan(server, how),
      ...sayHow(failure),
      ...quoteServer(failure),
      ...quoteLog(how.lastLines, how.firstError),
    ],
    hints: [...adviseOnFolder(server, failure), ...advise(server, how)],
  })
}

/** The server may look for a file in a folder other than the one it was started in. */
function adviseOnFolder({ confinement }: AdmittedServer, failure: SessionFailure): readonly string[] {
  const hasEnded = failure.kind === 'lost' && failure.wire.kind === 'exit'
  if (confinement?.start !== 'empty-folder' || !hasEnded) return []
  return [
    'it started in an empty folder, since you do not trust this one; to decide, run `plugboard trust folder`',
  ]
}

/** A bug, or a function of the host that throws. `why` holds no secret. */
export function brokeWhileConnecting(server: AdmittedServer, why: string): Problem {
  return createProblem({
    code: 'connect/bug',
    message: `Failed to connect to "${server.name}": this is a bug in Plugboard, not in your configuration`,
    where: whereOrigin(server.found.origin, server.name),
    notes: [why],
    hints: ['please report it, with the lines above'],
  })
}

/** A session that worked has ended. */
export function sessionLost(
  server: AdmittedServer,
  wire: WireFailure,
  { lastLines, firstError }: Pick<Circumstances, 'lastLines' | 'firstError'>,
): Problem {
  const failure: SessionFailure = { kind: 'lost', wire, wasSent: true }
  return createProblem({
    code: 'connect/lost',
    message: `the connection to \`${server.name}\` was lost: ${new SessionError(failure).message}`,
    where: whereOrigin(server.found.origin, server.name),
    notes: quoteLog(lastLines, firstError),
  })
}

/** Whether the server only waits for the user to sign in. */
export function needsSignIn(failure: SessionFailure): boolean {
  const challenge = challengeOf(failure)
  return challenge?.status === 401 || (challenge !== undefined && wantsMoreScopes(challenge))
}

function challengeOf(failure: SessionFailure): Challenge | undefined {
  if (failure.kind !== 'lost' || failure.wire.kind !== 'http') return undefined
  const { status, challenge } = failure.wire
  return status === 401 || status === 403 ? parseChallenge(status, { authenticate: challenge }) : undefined
}

function signInNeeded(server: AdmittedServer, how: Circumstances): Problem {
  const { failure, whyNoSignIn } = how
  const { scopes, status } = challengeOf(failure)!
  const wanted = scopes.map((scope) => toPrintable(scope).slice(0, 100)).slice(0, 20)
  return createProblem({
    code: 'connect/needs-auth',
    message:
      status === 401
        ? `\`${server.name}\` needs you to sign in`
        : `\`${server.name}\` wants more than you signed in for`,
    where: whereOrigin(server.found.origin, server.name),
    notes: [
      ...(wanted.length === 0
        ? sayWhatRan(server, how)
        : [`${showAddress(server)} asked for scopes: ${wanted.join(', ')}`]),
      ...(whyNoSignIn === undefined ? [] : [whyNoSignIn.message]),
      ...sayHow(failure),
      ...quoteServer(failure),
    ],
    hints: (whyNoSignIn?.hints.length ?? 0) > 0 ? whyNoSignIn!.hints : adviseOnSignIn(server),
  })
}

/** How long the server wants to wait, if it says so. */
export function retryAfterOf(failure: SessionFailure): { readonly retryAfterMs?: number } {
  if (failure.kind !== 'lost' || failure.wire.kind !== 'http') return {}
  const { retryAfterMs } = failure.wire
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}

/** Whether a retry without any change must fail again. */
export function isPermanent({ kind, ...failure }: SessionFailure): boolean {
  if (kind === 'bad-answer' || kind === 'not-started') return true
  if (!('wire' in failure)) return false
  const { wire } = failure
  if (wire.kind === 'spawn') return !SHORT_OF.has(wire.code)
  if (wire.kind === 'network') return isLasting(wire)
  return wire.kind === 'http' && [400, 403, 404, 405, 410].includes(wire.status)
}

/** The machine has too few processes, files or memory at the moment. */
const SHORT_OF: ReadonlySet<string> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])

function codeOf(failure: SessionFailure): string {
  return failure.kind === 'lost' ? failure.wire.kind : failure.kind
}

function sayFailure(failure: SessionFailure, { stage, tookMs, isInstalling }: Circumstances): string {
  if (failure.kind === 'timeout' && isInstalling === true)
    return `its installation was not over after ${seconds(failure.afterMs)}`
  if (failure.kind === 'timeout') return `no answer after ${seconds(failure.afterMs)} (${STAGE_WORDS[stage]})`
  if (failure.kind === 'rpc') {
    return `the server answered ${STAGE_WORDS[stage]} with error ${failure.error.code}`
  }
  if (failure.kind !== 'lost') return new SessionError(failure).message
  const { wire } = failure
  if (wire.kind === 'exit')
    return `${new SessionError(failure).message} after ${seconds(tookMs)}, before it answered`
  if (wire.kind === 'http') return `the server answered with ${new SessionError(failure).message}`
  if (wire.kind === 'closed') return 'the server closed the connection before it answered'
  return new SessionError(failure).message
}

const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  resolve: 'while its values were looked up',
  start: 'while it started',
  negotiate: 'in the handshake',
  list: 'when it was asked for its tools',
}

function sayWhatRan({ transport }: AdmittedServer, { failure }: Circumstances): readonly string[] {
  if (transport.type === 'sdk') return []
  if (transport.type !== 'stdio') return [`address: ${showTemplate(transport.url)}`]
  // As the file writes it: the value of a variable may be a secret.
  const line = [transport.command, ...transport.args].map(showTemplate).join(' ')
  const isMissing = failure.kind === 'lost' && failure.wire.kind === 'spawn'
  return [`${isMissing ? 'wanted to run' : 'ran'} \`${line}\``]
}

function showAddress({ transport }: AdmittedServer): string {
  return 'url' in transport ? showTemplate(transport.url) : 'it'
}

/** The proxy in between, and the system's own name for what the first line says in words. */
function sayHow(failure: SessionFailure): readonly string[] {
  if (failure.kind !== 'lost') return []
  const { wire } = failure
  const via = wire.kind === 'http' || wire.kind === 'network' ? wire.via : undefined
  const isBlamed = wire.kind === 'network' && wire.via?.isAtFault === true
  return [
    ...(via === undefined || isBlamed ? [] : [`asked through ${nameProxy(via)}`]),
    ...((retryAfterOf(failure).retryAfterMs ?? 0) > LONGEST_MS
      ? [`so long is not waited: at most ${seconds(LONGEST_MS)}`]
      : []),
    ...(wire.kind === 'network' ? [`reported as ${wire.code}: ${wire.message}`] : []),
  ]
}

/** A server's own words never stand in the first line. Here they are quoted, short, and harmless to a terminal. */
function quoteServer(failure: SessionFailure): readonly string[] {
  const words = wordsIn(failure)
  const short = toPrintable(words.replace(/\s+/g, ' ').trim()).slice(0, 300)
  return short === '' ? [] : [`it said: "${short}"`]
}

function wordsIn(failure: SessionFailure): string {
  if (failure.kind === 'rpc') return failure.error.message
  if (failure.kind !== 'lost') return ''
  const { wire } = failure
  if (wire.kind === 'page') return wire.title
  return wire.kind === 'http' ? wordsOf(wire.body) : ''
}

/** Of an error page, only its message helps the user. */
function wordsOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    const error = isObject(value) ? (value['error'] ?? value) : value
    const words = isObject(error) ? (error['message'] ?? error['error_description'] ?? error['error']) : error
    return typeof words === 'string' ? words : body
  } catch {
    return titleOf(body) ?? body.replace(/<[^>]*>/g, ' ')
  }
}

/** The important line may stand far above the end: below an error, many programs print its place and advice. */
function quoteLog(lines: readonly string[], firstError: string | undefined): readonly string[] {
  if (lines.length === 0) return []
  const last = lines.slice(-QUOTED_LINES)
  const quote = (line: string): string => `  ${toPrintable(line).slice(0, 300)}`
  return [
    ...(firstError === undefined || last.includes(firstError)
      ? []
      : ['the first error it wrote:', quote(firstError)]),
    'the last lines it wrote:',
    ...last.map(quote),
  ]
}

function advise(server: AdmittedServer, { failure, isInstalling }: Circumstances): readonly string[] {
  const { name, transport } = server
  if (failure.kind === 'timeout' && isInstalling === true)
    return [
      'check that its package registry can be reached, and run the same line in a terminal to see what it waits for',
    ]
  if (failure.kind === 'timeout') {
    return [...adviseOnLimit(server), `to see how far it comes, run \`plugboard test ${inShell(name)}\``]
  }
  if (failure.kind !== 'lost') return [`to see what it wrote, run \`plugboard logs ${inShell(name)}\``]
  const { wire } = failure
  switch (wire.kind) {
    case 'spawn':
      if (wire.code === 'ENOCWD') return ['make the folder, or correct `cwd` in its entry']
      if (wire.code === 'ENOTDIR') return ['correct `cwd` in its entry']
      return wire.code === 'ENOENT' ? adviseOnMissing(transport) : []
    case 'exit':
      return transport.type === 'stdio'
        ? [`to see all it wrote, run \`plugboard logs ${inShell(name)}\``]
        : []
    case 'http':
      return adviseOnStatus(transport, wire)
    case 'network':
      return adviseOnNetwork(transport, wire)
    case 'page':
      return PAGE_HINTS
    case 'protocol':
    case 'not-read':
    case 'closed':
      return []
  }
}

function adviseOnStatus(
  transport: AdmittedServer['transport'],
  { status, body }: Extract<WireFailure, { kind: 'http' }>,
): readonly string[] {
  if (status === 403) return [SIGN_IN_HINT]
  if (status === 429)
    return ['wait, and then try again; if it happens often, use fewer agents with this server']
  // A WebSocket begins with an ordinary request, so a program that knows no WebSockets answers with an ordinary
  // response.
  if (status < 400 || isPage(body)) return PAGE_HINTS
  return [400, 404, 405].includes(status) ? adviseOnAddress(transport) : []
}

function adviseOnMissing(transport: AdmittedServer['transport']): readonly string[] {
  const command = transport.type === 'stdio' ? showTemplate(transport.command) : ''
  const isLine = /\s/.test(command.trim()) && !/[/\\]/.test(command.split(/\s/)[0]!)
  if (isLine) return ['keep the program in `command` and move the rest to `args`']
  return ['check that the command is installed and on your PATH']
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
}
