/**
 * restrict: makes the permissions of a fork, which are never wider than those of its parent.
 *
 * in     the permissions of a board or of a fork, and the new restrictions
 * out    permissions under which every verdict is as strict as before, or stricter
 */
import type { Action, Mode, PermissionRule, Permissions } from '../../model/permission.ts'

export interface Restriction {
  /** Globs: the fork may use no other tool. Absent: no further limit. */
  readonly allow?: readonly string[] | undefined
  /** Applies if it is stricter: `plan`, then `default`, then `bypass`. */
  readonly mode?: Mode | undefined
  readonly rules?: readonly StricterRule[] | undefined
}

export type StricterRule = Pick<PermissionRule, 'tool' | 'reason'> & { readonly action: 'ask' | 'deny' }

export function restrict(permissions: Permissions, restriction: Restriction): Permissions {
  const { allow, mode = permissions.mode, rules = [] } = restriction
  // A host in plain JavaScript can pass any value. Actions that would loosen are ignored, and unknown actions deny.
  const stricter = rules.filter(({ action }) => (action as Action) !== 'allow')
  const own = stricter.map((rule): PermissionRule => ({
    ...rule,
    action: rule.action === 'ask' ? 'ask' : 'deny',
    level: 'session',
  }))
  return {
    ...permissions,
    mode: stricterMode(permissions.mode, mode),
    rules: own.length === 0 ? permissions.rules : [...permissions.rules, ...own],
    filters: allow === undefined ? permissions.filters : [...permissions.filters, allow],
  }
}

const MODES_STRICT_FIRST: readonly Mode[] = ['plan', 'default', 'bypass']

export function stricterMode(a: Mode, b: Mode): Mode {
  return MODES_STRICT_FIRST.find((mode) => mode === a || mode === b) ?? 'default'
}
