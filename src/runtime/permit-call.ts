/**
 * permit-call: the permissions of a board, in the form in which a call asks for them.
 *
 * out    allowed, and whether the tool is in all respects what its user approved; or denied, with the problem
 */
import type { Permit, Pin, ToolToCall } from '../model/permission.ts'
import { findChange, hintsOf } from '../pipeline/permit/pins.ts'
import type { PermissionView } from './permissions.ts'

export function toPermit(open: () => Promise<PermissionView>): Permit {
  return async (tool, { args, who, signal, ask }) => {
    const permissions = await open()
    const decision = await permissions.check(tool, who, { arguments: args, signal, ask })
    if (decision.action === 'deny') return { kind: 'denied', problem: decision.problem }
    return { kind: 'allowed', isUnchanged: isAsPinned(permissions.consider(tool).pin, tool) }
  }
}

/** The hints are no part of what is pinned as the definition, but a call may be sent twice because of them. */
function isAsPinned(pin: Pin | undefined, { definition }: ToolToCall): boolean {
  if (pin === undefined || findChange(pin, definition) !== undefined) return false
  return JSON.stringify(pin.definition.hints) === JSON.stringify(hintsOf(definition))
}
