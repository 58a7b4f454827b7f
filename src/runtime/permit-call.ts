/**
 * permit-call: asks the permissions of a board whether a call may run, in the form that a call needs.
 *
 * out    allowed, and whether the tool is in all respects as its user approved it; or denied, with the problem
 */
import type { Signal } from '../base/abort.ts'
import { isPromise } from '../base/at-once.ts'
import type { CallOutcome } from '../model/outcome.ts'
import type { Permission, Permit, Pin, ToolToCall, WantedCall } from '../model/permission.ts'
import { gaveUp } from '../pipeline/call/problems.ts'
import { findChange } from '../pipeline/permit/pins.ts'
import type { PermissionView } from './permissions.ts'

export function toPermit(open: () => Promise<PermissionView>): Permit {
  let opened: PermissionView | undefined
  const check = async (tool: ToolToCall, wanted: WantedCall): Promise<Permission> => {
    const { args, who, signal, ask, remember } = wanted
    opened = await open()
    const decision = await opened.check(tool, who, { arguments: args, signal, ask, remember })
    const { by } = decision
    if (decision.action === 'deny') return { kind: 'denied', problem: decision.problem, by }
    return { kind: 'allowed', isUnchanged: isAsPinned(opened.consider(tool).pin, tool), by }
  }
  return (tool, wanted) => findStanding(opened, tool, wanted) ?? check(tool, wanted)
}

/** Answers at once: most calls are of tools that are allowed and known, and need not wait for anything. */
function findStanding(
  permissions: PermissionView | undefined,
  tool: ToolToCall,
  { who }: WantedCall,
): Permission | undefined {
  if (permissions === undefined) return undefined
  const { action, by } = permissions.look(tool, who)
  const { pin } = permissions.consider(tool)
  // A tool that a rule allows and that has no whole pin yet gets one, which takes a file. A mode pins nothing.
  if (action !== 'allow' || (pin?.isWhole !== true && by.kind !== 'mode')) return undefined
  return { kind: 'allowed', isUnchanged: isAsPinned(pin, tool), by }
}

/** A call, and the listener for the decision about it. */
export interface JudgedCall extends WantedCall {
  readonly onJudged?: ((permission: Permission) => void) | undefined
}

export type Judged = Extract<Permission, { kind: 'allowed' }> | CallOutcome

/** Answers at once when the user need not be asked. A question to the user waits no longer than the call itself. */
export function askPermit(permit: Permit, target: ToolToCall, wanted: JudgedCall): Judged | Promise<Judged> {
  const { signal, onJudged } = wanted
  const answer = permit(target, wanted)
  if (!isPromise(answer)) return conclude(signal?.aborted === true ? undefined : answer, target, onJudged)
  const inTime = signal === undefined ? answer : unlessAborted(answer, signal)
  return inTime.then((permission) => conclude(permission, target, onJudged))
}

/** `permission` is undefined when the caller no longer waits. */
function conclude(
  permission: Permission | undefined,
  target: ToolToCall,
  onJudged: JudgedCall['onJudged'],
): Judged {
  if (permission === undefined) return { kind: 'aborted', wasSent: false, problem: gaveUp(target, false) }
  onJudged?.(permission)
  if (permission.kind === 'allowed') return permission
  return { kind: 'not-sent', code: 'denied', problem: permission.problem }
}

/** Resolves with undefined when the signal was aborted. */
function unlessAborted<T>(work: Promise<T>, signal: Signal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(undefined)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function isAsPinned(pin: Pin | undefined, { definition }: ToolToCall): boolean {
  return pin !== undefined && findChange(pin, definition) === undefined
}
