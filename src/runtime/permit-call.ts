/**
 * permit-call: the permissions of a board, in the form in which a call asks for them, and the asking.
 *
 * out    allowed, and whether the tool is in all respects what its user approved; or denied, with the problem
 */
import type { CallOutcome } from '../model/outcome.ts'
import type { Permission, Permit, Pin, ToolToCall, WantedCall } from '../model/permission.ts'
import { gaveUp } from '../pipeline/call/problems.ts'
import { findChange, hintsOf } from '../pipeline/permit/pins.ts'
import type { PermissionView } from './permissions.ts'

export function toPermit(open: () => Promise<PermissionView>): Permit {
  return async (tool, { args, who, signal, ask }) => {
    const permissions = await open()
    const decision = await permissions.check(tool, who, { arguments: args, signal, ask })
    const { by } = decision
    if (decision.action === 'deny') return { kind: 'denied', problem: decision.problem, by }
    return { kind: 'allowed', isUnchanged: isAsPinned(permissions.consider(tool).pin, tool), by }
  }
}

/** A call, and who wants to hear what was decided about it. */
export interface JudgedCall extends WantedCall {
  readonly onJudged?: ((permission: Permission) => void) | undefined
}

/** Nobody waits for a person to answer longer than for the call itself. */
export async function askPermit(
  permit: Permit,
  target: ToolToCall,
  { onJudged, ...wanted }: JudgedCall,
): Promise<Extract<Permission, { kind: 'allowed' }> | CallOutcome> {
  const { signal } = wanted
  const answer = permit(target, wanted)
  const permission = await (signal === undefined ? answer : unlessAborted(answer, signal))
  if (permission !== undefined) onJudged?.(permission)
  if (permission === undefined) return { kind: 'aborted', wasSent: false, problem: gaveUp(target, false) }
  if (permission.kind === 'allowed') return permission
  return { kind: 'not-sent', code: 'denied', problem: permission.problem }
}

/** Undefined when it was. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** The hints are no part of what is pinned as the definition, but a call may be sent twice because of them. */
function isAsPinned(pin: Pin | undefined, { definition }: ToolToCall): boolean {
  if (pin === undefined || findChange(pin, definition) !== undefined) return false
  return JSON.stringify(pin.definition.hints) === JSON.stringify(hintsOf(definition))
}
