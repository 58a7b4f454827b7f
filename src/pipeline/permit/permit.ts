/**
 * permit: decides whether a call may happen, and which evidence decides.
 *
 * in     the permissions, the tool, the caller
 * out    a verdict with its evidence; `ask` if the user must answer first
 * never  asks the user itself; believes a tool's own claims; allows what a rule denies, in any mode, to any caller
 *
 * It keeps the verdicts, because most tools are called more than once. That is safe because Permissions are immutable.
 */
import type {
  CallTarget,
  Caller,
  Considered,
  Evidence,
  Grant,
  PermissionRule,
  Permissions,
  Pin,
  Verdict,
} from '../../model/permission.ts'
import { findChange } from './pins.ts'
import { isNamed, matchRules } from './rule-index.ts'

export function permit(permissions: Permissions, target: CallTarget, caller: Caller): Verdict {
  return lookAt(permissions, target).verdicts[caller]
}

export function consider(permissions: Permissions, target: CallTarget): Considered {
  return lookAt(permissions, target).considered
}

/** Whether storing the user's consent would change any verdict. */
export function canGrant(permissions: Permissions, target: CallTarget): boolean {
  return !consider(permissions, target).rules.some(isManagedAsk)
}

interface Look {
  readonly target: CallTarget
  readonly considered: Considered
  readonly verdicts: Readonly<Record<Caller, Verdict>>
}

interface Sorted {
  readonly grants: ReadonlyMap<string, Grant>
  readonly pins: ReadonlyMap<string, Pin>
  readonly looks: WeakMap<object, Look>
}

const SORTED = new WeakMap<Permissions, Sorted>()

function lookAt(permissions: Permissions, target: CallTarget): Look {
  const sorted = SORTED.get(permissions) ?? sort(permissions)
  const known = sorted.looks.get(target.definition)
  // Two servers of one process may return the same object.
  if (known !== undefined && isSame(known.target, target)) return known
  const look = toLook(permissions, sorted, target)
  sorted.looks.set(target.definition, look)
  return look
}

function sort(permissions: Permissions): Sorted {
  const grants = new Map(permissions.grants.map((grant) => [keyOf(grant), grant]))
  const pins = new Map(permissions.pins.map((pin) => [keyOf(pin), pin]))
  const sorted = { grants, pins, looks: new WeakMap<object, Look>() }
  SORTED.set(permissions, sorted)
  return sorted
}

/** Identifies the server by its fingerprint, and the tool. The configured name of the server does not count. */
function keyOf({ fingerprint, tool }: Pick<Grant, 'fingerprint' | 'tool'>): string {
  return `${fingerprint} ${tool}`
}

function isSame(a: CallTarget, b: CallTarget): boolean {
  return (
    a === b ||
    (a.name === b.name && a.tool === b.tool && a.server === b.server && a.fingerprint === b.fingerprint)
  )
}

function toLook(permissions: Permissions, { grants, pins }: Sorted, target: CallTarget): Look {
  const key = keyOf(target)
  const considered = {
    rules: matchRules(permissions.rules, target),
    grant: grants.get(key),
    pin: pins.get(key),
  }
  const verdict = judge(permissions, considered, target)
  const verdicts = {
    model: answer(permissions, verdict, 'model'),
    person: answer(permissions, verdict, 'person'),
  }
  return { target, considered, verdicts }
}

/** The verdict of rules, grants and pins, before any answer of the user. */
function judge(permissions: Permissions, { rules, grant, pin }: Considered, target: CallTarget): Verdict {
  const { mode, plan, filters, broken, unknownPins } = permissions
  if (broken !== undefined) return deny({ kind: 'unreadable', problem: broken })
  const [strictest] = rules
  if (strictest?.action === 'deny') return deny({ kind: 'rule', rule: strictest })
  if (!filters.every((globs) => isNamed(globs, target))) return deny({ kind: 'filter' })
  if (mode === 'plan') return deny({ kind: 'mode', mode, ...(plan === undefined ? {} : { by: plan }) })
  if (unknownPins !== undefined) return ask({ kind: 'unreadable', problem: unknownPins })
  const change = pin === undefined ? undefined : findChange(pin, target.definition)
  if (change !== undefined) return ask({ kind: 'pin', change })
  if (strictest !== undefined && isManagedAsk(strictest)) return ask({ kind: 'rule', rule: strictest })
  if (strictest?.action === 'allow') return allow({ kind: 'rule', rule: strictest })
  if (grant !== undefined) return allow({ kind: 'grant', grant })
  return ask(strictest === undefined ? { kind: 'default' } : { kind: 'rule', rule: strictest })
}

/** Among rules that ask, the organisation's come first. */
function isManagedAsk({ action, level }: PermissionRule): boolean {
  return action === 'ask' && level === 'managed'
}

/** The answer that a mode or the caller gives without a question. */
function answer({ mode }: Permissions, verdict: Verdict, caller: Caller): Verdict {
  if (verdict.action !== 'ask') return verdict
  if (mode === 'bypass') return allow({ kind: 'mode', mode })
  // A user who types a call means the tool as approved, not one that changed.
  const isAboutTool = verdict.by.kind === 'pin' || verdict.by.kind === 'unreadable'
  return caller === 'person' && !isAboutTool ? allow({ kind: 'person' }) : verdict
}

function allow(by: Evidence): Verdict {
  return { action: 'allow', by }
}

function ask(by: Evidence): Verdict {
  return { action: 'ask', by }
}

function deny(by: Evidence): Verdict {
  return { action: 'deny', by }
}
