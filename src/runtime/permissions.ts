/**
 * permissions: decides whether a call may happen. Joins rules, grants, pins and the answers of the user.
 *
 * in     a loaded catalog, the mode and the callback of the host; then one tool after the other
 * out    allowed, or denied with a problem that says who decided and what to do
 * never  asks again what the user answered; loses an answer that could be kept; lets a fork do more than its board
 *
 * Answers return through the disk. Grants, and tools as the user approved them, are written to the user's own files.
 * Every process reads these files again when they change, so an answer given here holds in every other process.
 */
import { toAbortSignal } from '../base/abort.ts'
import { untilAborted } from '../base/until-aborted.ts'
import type {
  Answer,
  Ask,
  CallTarget,
  Caller,
  Considered,
  Decision,
  Mode,
  PermissionRule,
  Permissions,
  Pin,
  Question,
  ToolToCall,
  Verdict,
  WantedCall,
} from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { nameOf } from '../pipeline/name/name.ts'
import { NAME_STYLES } from '../model/settings.ts'
import { canGrant, consider, permit } from '../pipeline/permit/permit.ts'
import { diffPin } from '../pipeline/permit/pin-diff.ts'
import { findChange, findFormer, hintsOf, toPin } from '../pipeline/permit/pins.ts'
import { denied, needsAnswer, unknownServer } from '../pipeline/permit/problems.ts'
import { restrict, type Restriction } from '../pipeline/permit/restrict.ts'
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { openPermissionStores, type PermissionStores, type Stored } from './permission-stores.ts'
import { createFingerprints } from './trust-fingerprint.ts'

export interface PermissionOptions {
  /** Default: `default`. `plan` in a settings file wins over this value. */
  readonly mode?: Mode | undefined
  /** Rules of this session. The strictest of all rules decides. */
  readonly rules?: readonly Pick<PermissionRule, 'tool' | 'action' | 'reason'>[] | undefined
  /**
   * Asks the user. Without it, a call that needs an answer is denied. When it rejects, `check` rejects with the same
   * error.
   */
  readonly ask?: Ask | undefined
}

export interface OpenPermissionsOptions extends PermissionOptions {
  /** The stores of a board, which reads them too. Default: opened here. */
  readonly stores?: PermissionStores | undefined
}

export interface CheckOptions extends Pick<WantedCall, 'signal' | 'ask' | 'remember'> {
  /** The arguments of the call. The question shows them. */
  readonly arguments?: unknown
}

/** Permissions for the tools of a board, or of a fork of it. */
export interface PermissionView {
  /** Asks the user where that is needed, and keeps the answer. Rejects with the reason of the signal. */
  check(tool: ToolToCall, caller: Caller, options?: CheckOptions): Promise<Decision>
  /** Returns the verdict as of now, without asking the user. */
  look(tool: ToolToCall, caller: Caller): Verdict
  /** Returns the rules, the grant and the pin for a tool. */
  consider(tool: ToolToCall): Considered
  /** Creates the view of a fork. It permits no more than this view, whatever is passed. */
  restrict(restriction: Restriction): PermissionView
  /** Everything that verdicts depend on, as it is now. */
  current(): Permissions
}

export interface OpenPermissions extends PermissionView {
  setMode(mode: Mode): void
  /** Takes the rules and servers of a reload. The answers of this session stay. */
  update(loaded: LoadedCatalog): void
  /** What could not be read or written, and what was imported from another agent. */
  problems(): readonly Problem[]
}

/** Reads what is stored, and imports once what the user always allows in x-code. */
export async function openPermissions(
  world: World,
  loaded: LoadedCatalog,
  options: OpenPermissionsOptions = {},
): Promise<OpenPermissions> {
  const { stores = openPermissionStores(world, loaded.dirs) } = options
  await stores.takeOver(loaded)
  const session = (options.rules ?? []).map((rule): PermissionRule => ({ ...rule, level: 'session' }))
  let mode = options.mode ?? 'default'
  let now = settle(world, loaded, session)
  let known: Current | undefined

  /** Returns the same value until something changes: verdicts are cached with it. */
  const current = (): Permissions => {
    const stored = stores.read()
    if (known?.stored !== stored || known.settled !== now || known.mode !== mode)
      known = { stored, settled: now, mode, permissions: toPermissions(now, stored, mode) }
    return known.permissions
  }

  const desk: PermissionContext = {
    world,
    stores,
    ask: options.ask,
    toTarget: (tool) => now.toTarget(tool),
    asking: new Map(),
  }
  return {
    ...createView(desk, current),
    setMode: (next) => void (mode = next),
    update: (next) => void (now = settle(world, next, session)),
    problems: () => stores.problems(),
  }
}

/** Permissions, and the inputs they were computed from. */
interface Current {
  readonly stored: Stored
  readonly settled: Settled
  readonly mode: Mode
  readonly permissions: Permissions
}

function toPermissions(
  { rules, settings: { plan, broken } }: Settled,
  { grants, pins, pinProblem }: Stored,
  mode: Mode,
): Permissions {
  return {
    mode: plan === undefined ? mode : 'plan',
    ...(plan === undefined ? {} : { plan }),
    rules,
    grants,
    pins,
    filters: [],
    ...(broken === undefined ? {} : { broken }),
    ...(pinProblem === undefined ? {} : { unknownPins: pinProblem }),
  }
}

/** What is computed from a loaded catalog. */
interface Settled {
  readonly settings: LoadedCatalog['permissions']
  readonly rules: readonly PermissionRule[]
  readonly toTarget: (tool: ToolToCall) => CallTarget | undefined
}

function settle(world: World, loaded: LoadedCatalog, session: readonly PermissionRule[]): Settled {
  const { permissions: settings } = loaded
  const fingerprintOf = createFingerprints(world, loaded)
  const targets = new WeakMap<ToolToCall, CallTarget>()
  return {
    settings,
    rules: [...settings.rules, ...session],
    toTarget(tool) {
      const known = targets.get(tool)
      if (known !== undefined) return known
      const fingerprint = fingerprintOf(tool.server)
      if (fingerprint === undefined) return undefined
      const target = createTarget(tool, fingerprint)
      targets.set(tool, target)
      return target
    },
  }
}

export function createTarget(
  { server, tool, name, definition }: ToolToCall,
  fingerprint: string,
): CallTarget {
  const names = NAME_STYLES.map((style) => nameOf(server, tool, style))
  return { server, tool, name, otherNames: names.filter((one) => one !== name), fingerprint, definition }
}

/** What all views of one board share. */
interface PermissionContext {
  readonly world: World
  readonly stores: PermissionStores
  readonly ask: Ask | undefined
  /** Undefined for a server that is no longer there. */
  toTarget(tool: ToolToCall): CallTarget | undefined
  /** Questions that wait for an answer, by server and tool. */
  readonly asking: Map<string, Promise<unknown>>
}

function createView(desk: PermissionContext, current: () => Permissions): PermissionView {
  return {
    check(tool, caller, options = {}) {
      const target = desk.toTarget(tool)
      if (target === undefined) return Promise.resolve(noServer(tool))
      return check(desk, { target, caller, options, current })
    },
    look(tool, caller) {
      const target = desk.toTarget(tool)
      return target === undefined ? noServer(tool) : permit(current(), target, caller)
    },
    consider(tool) {
      const target = desk.toTarget(tool)
      return target === undefined
        ? { rules: [], grant: undefined, pin: undefined }
        : consider(current(), target)
    },
    restrict(restriction) {
      let known: { readonly base: Permissions; readonly own: Permissions } | undefined
      return createView(desk, () => {
        const base = current()
        if (known?.base !== base) known = { base, own: restrict(base, restriction) }
        return known.own
      })
    },
    current,
  }
}

function noServer({ server }: ToolToCall): Extract<Decision, { action: 'deny' }> {
  const problem = unknownServer(server)
  return { action: 'deny', by: { kind: 'unreadable', problem }, problem }
}

interface Check {
  readonly target: CallTarget
  readonly caller: Caller
  readonly options: CheckOptions
  readonly current: () => Permissions
}

/** Not `async`: most calls are of tools that are allowed and known, and need not wait for anything. */
function check(desk: PermissionContext, one: Check): Promise<Decision> {
  const { target, caller, options, current } = one
  const permissions = current()
  const { action, by } = permit(permissions, target, caller)
  if (options.signal?.aborted === true) return Promise.reject(options.signal.reason as Error)
  if (action === 'deny')
    return Promise.resolve({ action, by, problem: denied(target, by, desk.world.platform) })
  if (action === 'ask') return question(desk, one, { by, permissions })
  const decision = Promise.resolve<Decision>({ action, by })
  const isGuest = by.kind === 'person' && options.remember === 'nothing'
  const isPinned = by.kind === 'mode' || consider(permissions, target).pin?.isWhole === true
  return isPinned || isGuest ? decision : pinFirst(desk, permissions, target).then(() => decision)
}

async function question(desk: PermissionContext, one: Check, asked: Asked): Promise<Decision> {
  const { target, options } = one
  const { by } = asked
  if ((options.ask ?? desk.ask) === undefined)
    return { action: 'deny', by, problem: needsAnswer(target, by, desk.world.platform) }
  // An answer that is not remembered is for this call only, so no other call waits for it.
  if (options.remember === 'nothing') return askFor(desk, one, asked)
  const key = JSON.stringify([target.fingerprint, target.tool])
  const pending = desk.asking.get(key)
  if (pending === undefined) return askForAll(desk, one, { ...asked, key })
  // The answer to the pending question may decide this call, too.
  await untilAborted(pending, options.signal)
  return check(desk, one)
}

/** Why the user must be asked, and the permissions that this depends on. */
interface Asked {
  readonly by: Verdict['by']
  readonly permissions: Permissions
}

/** Other calls that wait for the same answer only need to know when the question is over. */
async function askForAll(
  desk: PermissionContext,
  one: Check,
  { key, ...asked }: Asked & { readonly key: string },
): Promise<Decision> {
  const answered = askFor(desk, one, asked)
  desk.asking.set(
    key,
    answered.then(
      () => undefined,
      () => undefined,
    ),
  )
  try {
    return await answered
  } finally {
    desk.asking.delete(key)
  }
}

function askFor(
  desk: PermissionContext,
  { target, options, current }: Check,
  { by, permissions }: Asked,
): Promise<Decision> {
  const signal = options.signal === undefined ? new AbortController().signal : toAbortSignal(options.signal)
  const question = toQuestion(permissions, target, { why: by, args: options.arguments })
  const ask = options.ask ?? desk.ask!
  const asked = (async () => ask(question, { signal }))()
  const { remember } = options
  return untilAborted(asked, signal).then((answer) => keep(desk, { current, target, answer, remember }))
}

/** Stores what follows from an answer. */
async function keep(
  desk: PermissionContext,
  given: Pick<Check, 'current' | 'target'> & Pick<CheckOptions, 'remember'> & { readonly answer: Answer },
): Promise<Decision> {
  const { current, target, answer, remember } = given
  const { stores, world } = desk
  const isYes = answer === 'once' || answer === 'session' || answer === 'always'
  if (!isYes) {
    const reason = typeof answer === 'object' && typeof answer?.no === 'string' ? { reason: answer.no } : {}
    const by = { kind: 'person', ...reason } as const
    return { action: 'deny', by, problem: denied(target, by, world.platform) }
  }
  // While the user thought, plan mode may have begun, or a rule may have changed. A yes does not override those.
  const permissions = current()
  const { action, by } = permit(permissions, target, 'person')
  if (action === 'deny') return { action, by, problem: denied(target, by, world.platform) }
  if (remember === 'nothing') return { action: 'allow', by: { kind: 'person' } }
  const { pin } = consider(permissions, target)
  // `once` is for this call: the next call asks again about the change.
  if (pin === undefined || answer === 'once') await pinFirst(desk, permissions, target)
  else await stores.pin(pinOf(desk, target), answer)
  if (answer !== 'once') {
    const { server, fingerprint, tool } = target
    await stores.grant({ server, fingerprint, tool, until: answer })
  }
  return { action: 'allow', by: { kind: 'person' } }
}

/**
 * The first approval of a tool pins the tool as it is. A pin of an older version becomes a whole pin when its tool has
 * not changed in the fields that the pin holds.
 */
async function pinFirst(
  desk: PermissionContext,
  permissions: Permissions,
  target: CallTarget,
): Promise<void> {
  if (permissions.unknownPins !== undefined) return
  const { pin } = consider(permissions, target)
  if (pin === undefined) return desk.stores.pin(pinOf(desk, target), 'always')
  if (pin.isWhole || findChange(pin, target.definition) !== undefined) return
  await desk.stores.pin({ ...pinOf(desk, target), at: pin.at }, 'always')
}

function pinOf({ world }: PermissionContext, target: CallTarget): Pin {
  return toPin(target, new Date(world.clock.now()).toISOString())
}

function toQuestion(
  permissions: Permissions,
  target: CallTarget,
  { why, args }: { readonly why: Question['why']; readonly args: unknown },
): Question {
  const { server, tool, name, definition } = target
  const { description } = definition
  const former =
    consider(permissions, target).pin === undefined ? findFormer(permissions.pins, target) : undefined
  return {
    server,
    tool,
    name,
    ...(typeof description === 'string' ? { description } : {}),
    hints: hintsOf(definition),
    ...(args === undefined ? {} : { arguments: args }),
    why,
    ...(why.kind === 'pin' ? { diff: diffPin(why.change.was.definition, why.change.is) } : {}),
    ...(former === undefined ? {} : { renamedFrom: former.tool }),
    canRemember: permissions.unknownPins === undefined && canGrant(permissions, target),
  }
}
