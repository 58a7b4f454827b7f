/**
 * problems: why a server could not be reached, in words its user can act on.
 */
import { isObject } from '../../base/is-object.ts'
import { toPrintable } from '../../base/printable.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import type { Stage } from '../../model/connection.ts'
import type { Problem } from '../../model/problem.ts'
import { SessionError, type SessionFailure } from '../../model/session.ts'
import { showTemplate } from '../../model/template.ts'
import type { WireFailure } from '../../model/wire.ts'
import { createProblem, whereOrigin } from '../../problem/problem.ts'

export interface Circumstances {
  readonly stage: Stage
  readonly failure: SessionFailure
  /** What it last wrote to stderr, redacted. */
  readonly lastLines: readonly string[]
  readonly tookMs: number
}

/** Lines of its stderr that are quoted. */
const QUOTED_LINES = 5

export function failedToConnect(server: AdmittedServer, how: Circumstances): Problem {
  const { failure } = how
  return createProblem({
    code: `connect/${needsSignIn(failure) ? 'needs-auth' : codeOf(failure)}`,
    message: `Failed to connect to "${server.name}": ${sayFailure(failure, how)}`,
    where: whereOrigin(server.found.origin, server.name),
    notes: [...sayWhatRan(server, how), ...quoteServer(failure), ...quoteLog(how.lastLines)],
    hints: advise(server, failure),
  })
}

/** A session that was fine, and is gone. */
export function sessionLost(
  server: AdmittedServer,
  wire: WireFailure,
  lastLines: readonly string[],
): Problem {
  const failure: SessionFailure = { kind: 'lost', wire, wasSent: true }
  return createProblem({
    code: 'connect/lost',
    message: `the connection to \`${server.name}\` was lost: ${new SessionError(failure).message}`,
    where: whereOrigin(server.found.origin, server.name),
    notes: quoteLog(lastLines),
  })
}

/** Whether it only waits for somebody to sign in. */
export function needsSignIn(failure: SessionFailure): boolean {
  return failure.kind === 'lost' && failure.wire.kind === 'http' && failure.wire.status === 401
}

/** Whether trying again without a change can only fail again. */
export function isPermanent({ kind, ...failure }: SessionFailure): boolean {
  if (kind === 'bad-answer') return true
  if (!('wire' in failure)) return false
  const { wire } = failure
  if (wire.kind === 'spawn') return !SHORT_OF.has(wire.code)
  return wire.kind === 'http' && [400, 403, 404, 405, 410].includes(wire.status)
}

/** The machine is short of processes, files or memory, for now. */
const SHORT_OF: ReadonlySet<string> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])

function codeOf(failure: SessionFailure): string {
  return failure.kind === 'lost' ? failure.wire.kind : failure.kind
}

function sayFailure(failure: SessionFailure, { stage, tookMs }: Circumstances): string {
  if (failure.kind === 'timeout') return `no answer after ${seconds(failure.afterMs)} (${STAGE_WORDS[stage]})`
  if (failure.kind === 'rpc') {
    return `the server answered ${STAGE_WORDS[stage]} with error ${failure.error.code}`
  }
  if (failure.kind !== 'lost') return new SessionError(failure).message
  const { wire } = failure
  if (wire.kind === 'exit')
    return `${new SessionError(failure).message} after ${seconds(tookMs)}, before it answered`
  if (wire.kind === 'http') return `the server answered with HTTP ${wire.status}`
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
  // As the file has it: what the variables stand for may be a secret.
  const line = [transport.command, ...transport.args].map(showTemplate).join(' ')
  const isMissing = failure.kind === 'lost' && failure.wire.kind === 'spawn'
  return [`${isMissing ? 'wanted to run' : 'ran'} \`${line}\``]
}

/** A server's own words never stand in the first line; here they are quoted, short, and harmless to a terminal. */
function quoteServer(failure: SessionFailure): readonly string[] {
  const words =
    failure.kind === 'rpc'
      ? failure.error.message
      : failure.kind === 'lost' && failure.wire.kind === 'http'
        ? wordsOf(failure.wire.body)
        : ''
  const short = toPrintable(words.replace(/\s+/g, ' ').trim()).slice(0, 300)
  return short === '' ? [] : [`it said: "${short}"`]
}

/** Of an error page nobody wants more than its message. */
function wordsOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body)
    const error = isObject(value) ? (value['error'] ?? value) : value
    const words = isObject(error) ? (error['message'] ?? error['error_description'] ?? error['error']) : error
    return typeof words === 'string' ? words : body
  } catch {
    return body.replace(/<[^>]*>/g, ' ')
  }
}

function quoteLog(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  return [
    'the last lines it wrote:',
    ...lines.slice(-QUOTED_LINES).map((line) => `  ${toPrintable(line).slice(0, 300)}`),
  ]
}

function advise({ name, transport }: AdmittedServer, failure: SessionFailure): readonly string[] {
  if (failure.kind === 'timeout') {
    return [
      'if it is only slow to start, raise `startupTimeout` (milliseconds) in its entry',
      `to see how far it comes, run \`plugboard test ${inShell(name)}\``,
    ]
  }
  if (failure.kind !== 'lost') return [`to see what it wrote, run \`plugboard logs ${inShell(name)}\``]
  const { wire } = failure
  switch (wire.kind) {
    case 'spawn':
      return wire.code === 'ENOENT' ? adviseOnMissing(transport) : []
    case 'exit':
      return transport.type === 'stdio'
        ? [`to see all it wrote, run \`plugboard logs ${inShell(name)}\``]
        : []
    case 'http':
      if (wire.status === 401 || wire.status === 403) {
        return [
          'it wants you to sign in: give its entry a token, `"headers": { "Authorization": "Bearer …" }`',
        ]
      }
      return [400, 404, 405].includes(wire.status) ? adviseOnAddress(transport) : []
    case 'network':
      return ['check its `url`, and that the server is running and can be reached from here']
    case 'protocol':
    case 'closed':
      return []
  }
}

/** Somebody is there, but does not speak this way. */
function adviseOnAddress({ type }: AdmittedServer['transport']): readonly string[] {
  const other = { http: 'sse', sse: 'http' }[type as string]
  const advice = 'check the path of its `url`'
  return [other === undefined ? advice : `${advice}; if that is right, try \`"type": "${other}"\``]
}

function adviseOnMissing(transport: AdmittedServer['transport']): readonly string[] {
  const command = transport.type === 'stdio' ? showTemplate(transport.command) : ''
  const isLine = /\s/.test(command.trim()) && !/[/\\]/.test(command.split(/\s/)[0]!)
  if (isLine) return ['keep the program in `command` and move the rest to `args`']
  return ['check that the command is installed and on your PATH, and that its folder (`cwd`) exists']
}

/** As it must be typed. */
function inShell(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name}'`
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
}
