/**
 * permits: answers to the question whether a call may happen.
 */
import type { ToolToCall, Permit, WantedCall } from '../../src/model/permission.ts'
import { createProblem } from '../../src/problem/problem.ts'

export const allowAll: Permit = () => Promise.resolve({ kind: 'allowed', isUnchanged: true })

/** Allowed, and something about the tool is not as it was when its user approved it. */
export const allowChanged: Permit = () => Promise.resolve({ kind: 'allowed', isUnchanged: false })

export function denyAll(asked: [ToolToCall, WantedCall][] = []): Permit {
  return (target, wanted) => {
    asked.push([target, wanted])
    const problem = createProblem({ code: 'permit/denied', message: 'policy does not allow it' })
    return Promise.resolve({ kind: 'denied', problem })
  }
}
