/**
 * problems: explains why a call failed, in words for a model and for a user.
 */
import { isTooDeep, MAX_DEPTH } from '../../base/depth.ts'
import { inShell } from '../../base/in-shell.ts'
import { stripControls } from '../../base/strip-controls.ts'
import { parseChallenge, wantsMoreScopes } from '../../model/challenge.ts'
import type { RpcError } from '../../model/message.ts'
import type { ToolToCall } from '../../model/permission.ts'
import type { Problem } from '../../model/problem.ts'
import { describeTimeout, describeWireFailure, type SessionFailure } from '../../model/session.ts'
import type { WireFailure } from '../../model/wire.ts'
import { createProblem } from '../../problem/problem.ts'

type Named = Pick<ToolToCall, 'server' | 'tool'>

export function badArguments(target: Named, faults: readonly string[]): Problem {
  return createProblem({
    code: 'call/bad-arguments',
    message: `the arguments do not fit ${say(target)}, so it was not called`,
    notes: faults,
    hints: ['correct the arguments and call it again'],
  })
}

/** Checked before a rule, the user or the schema examines the arguments. */
export function findTooDeep(target: Named, args: unknown): Problem | undefined {
  // Two levels less: the arguments are inside the `params` of a message.
  if (!isTooDeep(args, MAX_DEPTH - 2)) return undefined
  return badArguments(target, [`they are nested too deep: a message may have ${MAX_DEPTH} levels in all`])
}

export function goesInCircles(target: Named, times: number): Problem {
  return createProblem({
    code: 'call/loop',
    message: `${say(target)} gave the same answer to the same arguments ${times} times in a row, so it was not called again`,
    hints: ['change the arguments, use another tool, or go on with the answer there is'],
  })
}

/** Repeats the problem that the call has each time. */
export function staysRefused(target: Named, times: number, { message, notes, hints }: Problem): Problem {
  return createProblem({
    code: 'call/loop',
    message: `the same call of ${say(target)} was refused ${times} times in a row, and will be each time`,
    notes: [message, ...notes],
    hints: [...hints, 'change the call, use another tool, or go on without it'].slice(-3),
  })
}

/** The fault of arguments that are no object. */
export function noObject(args: unknown): string {
  const written = Array.isArray(args) ? 'a list' : stripControls(String(args)).replace(/\s+/g, ' ').trim()
  return `the arguments are no JSON object, but: ${written.slice(0, 100)}`
}

/** The server answered with an error. */
export function refused(target: Named, { code, message }: RpcError): Problem {
  return createProblem({
    code: 'call/failed',
    message: `${say(target)} failed: the server answered with error ${code}`,
    notes: quoteServer(message),
  })
}

export function turnedDown(target: Named, failure: Extract<WireFailure, { kind: 'http' }>): Problem {
  const { status, body } = failure
  const challenge = status === 403 ? parseChallenge(status, { authenticate: failure.challenge }) : undefined
  if (challenge !== undefined && wantsMoreScopes(challenge)) return wantsMore(target, challenge.scopes)
  return createProblem({
    code: 'call/failed',
    message: `${say(target)} failed: the server answered with HTTP ${status}`,
    notes: quoteServer(body),
  })
}

/** The server works and the sign-in is valid, but it lacks the scopes for this call. */
function wantsMore(target: Named, scopes: readonly string[]): Problem {
  const wanted = scopes.map((scope) => stripControls(scope).slice(0, 100)).slice(0, 20)
  return createProblem({
    code: 'call/needs-auth',
    message: `${say(target)} was not called: it wants more than you signed in for`,
    notes: wanted.length === 0 ? [] : [`it asked for scopes: ${wanted.join(', ')}`],
    hints: [`run \`plugboard login ${inShell(target.server)}\``],
  })
}

/** The server's answer breaks the protocol. */
export function misspoke(target: Named, message: string): Problem {
  return createProblem({ code: 'call/failed', message: `${say(target)} failed: ${message}` })
}

/** The call failed before anything could be sent. */
export function notReached(target: Named, wire: WireFailure): Problem {
  const isSignIn = wire.kind === 'http' && wire.status === 401
  return createProblem({
    code: isSignIn ? 'connect/needs-auth' : 'call/not-connected',
    message: `${say(target)} was not called: ${describeWireFailure(wire)}`,
    notes: wire.kind === 'http' ? quoteServer(wire.body) : [],
    hints: [
      isSignIn
        ? `run \`plugboard login ${inShell(target.server)}\``
        : `to see how far the server comes, run \`plugboard test ${target.server}\``,
    ],
  })
}

export function lostOnTheWay(
  target: Named,
  failure: Extract<SessionFailure, { kind: 'lost' | 'timeout' }>,
): Problem {
  const how = failure.kind === 'timeout' ? describeTimeout(failure) : describeWireFailure(failure.wire)
  return createProblem({
    code: failure.kind === 'timeout' ? 'call/timeout' : 'call/lost',
    message: `${say(target)} was called and did not answer: ${how}`,
    notes: ['it may have happened, or happen still'],
    hints: [
      'find out whether it did before you call it again',
      ...(failure.kind === 'timeout' ? [adviseOnTime(failure)] : []),
    ],
  })
}

function adviseOnTime({ limit }: Extract<SessionFailure, { kind: 'timeout' }>): string {
  return limit === 'duration'
    ? 'if it is only slow, give it more time: `maxDuration` (milliseconds) in the entry of its server, or `--timeout` of `plugboard call`'
    : 'if it is only slow, raise `timeout` (milliseconds) in the entry of its server'
}

/** `what`: a tool, or a server that is not connected yet. */
export function gaveUp(what: Named | string, wasSent: boolean): Problem {
  return createProblem({
    code: 'call/aborted',
    message: `the call of ${typeof what === 'string' ? `\`${what}\`` : say(what)} was aborted ${wasSent ? 'after' : 'before'} it was sent`,
    notes: wasSent ? ['the server was told; it may have happened all the same'] : [],
  })
}

/**
 * Whether a failed connection may succeed at the next attempt. A missing program, a missing sign-in, a passed time
 * limit or a disabled server will not change by itself.
 */
export function mayPass({ code }: Problem): boolean {
  return PASSING.has(code)
}

const PASSING: ReadonlySet<string> = new Set([
  'connect/exit',
  'connect/network',
  'connect/closed',
  'connect/lost',
])

/** A built-in tool has no server. */
function say({ server, tool }: Named): string {
  return server === '' ? `\`${tool}\`` : `\`${server}.${tool}\``
}

/** A server's own words never stand in the first line. */
function quoteServer(words: string): readonly string[] {
  const short = stripControls(words).replace(/\s+/g, ' ').trim().slice(0, 1000)
  return short === '' ? [] : [`it said: "${short}"`]
}
