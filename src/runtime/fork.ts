/**
 * fork: a view of a board for a sub-agent, on the same connections.
 *
 * in     the board or fork that it is made from; what the new fork may not use
 * out    the tools that it may use, and calls of them with a loop guard of its own
 * never  permits more than its parent; opens or closes a connection of its own
 */
import { atOnce } from '../base/at-once.ts'
import { NO_REPEATS } from '../pipeline/call/loop-guard.ts'
import type { Permission, Permit, ToolToCall } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import type { ToolResult } from '../model/outcome.ts'
import { isGiven } from '../pipeline/permit/permit-builtin.ts'
import { titleOf } from '../pipeline/permit/problems.ts'
import type { Restriction } from '../pipeline/permit/restrict.ts'
import { isNamed } from '../pipeline/permit/rule-index.ts'
import { createProblem } from '../problem/problem.ts'
import type { BoardChange } from './board-events.ts'
import type { BuiltinTool } from './builtin-tools.ts'
import { callTool, type CallArguments, type CallContext, type CallOptions } from './call-tool.ts'
import type { ToolName } from './reach-tool.ts'
import { createTarget, type PermissionView } from './permissions.ts'
import { toPermit } from './permit-call.ts'
import type { BoardTool } from './tools.ts'

export interface ForkOptions extends Restriction {
  /** How often in a row a call may get the same answer. 0: no limit. Default: as the parent. */
  readonly loopLimit?: number | undefined
}

export interface Fork extends AsyncDisposable {
  /** The tools of the board that it may use. The list is the same value until something changes. */
  tools(): readonly BoardTool[]
  /** The board's built-in tools that it may use. `allow` names them by their own names. */
  builtinTools(): readonly BuiltinTool[]
  /** As the board's own. A tool that the fork may not use is denied. */
  call(name: ToolName, args?: CallArguments, options?: CallOptions): Promise<ToolResult>
  permissions(): Promise<PermissionView>
  /** For a sub-agent of this one, with the same permissions or fewer. */
  fork(options?: ForkOptions): Fork
  /**
   * As the board's; `tools` is about the fork's tools. Ends when the fork is closed. The returned function removes the
   * listener.
   */
  on(event: 'change', listener: (change: BoardChange) => void): () => void
  /** After that it shows no tools and refuses calls; calls in progress get their answer. The board does not change. */
  close(): Promise<void>
}

/** What a fork needs of its parent, a board or a fork. */
export interface ForkedFrom {
  tools(): readonly BoardTool[]
  builtinTools(): readonly BuiltinTool[]
  onChange(listener: (change: BoardChange) => void): () => void
  permissions(): Promise<PermissionView>
  readonly desk: CallContext
  /** Asked besides the permissions: a host's replacement of them, and each fork on the way that can be closed. */
  readonly permit: Permit | undefined
}

export function openFork(from: ForkedFrom, options: ForkOptions = {}): Fork {
  const { allow } = options
  // A filter matches the name of a tool, never the identity of its server.
  const toolsOf = createFilter<BoardTool>(allow && ((tool) => isNamed(allow, createTarget(tool, ''))))
  const builtinsOf = createFilter<BuiltinTool>(allow && (({ name }) => isGiven(allow, name)))
  const stops = new Set<() => void>()
  let isClosed = false
  let view: Promise<PermissionView> | undefined

  const tools = (): readonly BoardTool[] => (isClosed ? NONE : toolsOf(from.tools()))
  const builtinTools = (): readonly BuiltinTool[] => (isClosed ? NONE : builtinsOf(from.builtinTools()))
  const onChange = (listener: (change: BoardChange) => void): (() => void) => {
    let [seen, seenBuiltins] = [tools(), builtinTools()]
    const stop = from.onChange((change) => {
      const [now, nowBuiltins] = change.tools ? [tools(), builtinTools()] : [seen, seenBuiltins]
      const hasChanged = now !== seen || nowBuiltins !== seenBuiltins
      ;[seen, seenBuiltins] = [now, nowBuiltins]
      listener({ ...change, tools: hasChanged })
    })
    stops.add(stop)
    return () => {
      stops.delete(stop)
      stop()
    }
  }
  const permissions = (): Promise<PermissionView> => {
    view ??= from.permissions().then((one) => one.restrict(options))
    return view
  }
  const unlessClosed: Permit = (tool, wanted) => {
    if (isClosed) return { kind: 'denied', problem: forkClosed(tool) }
    return from.permit === undefined ? { kind: 'allowed', isUnchanged: true } : from.permit(tool, wanted)
  }
  const desk: CallContext = {
    ...from.desk,
    permit: both(unlessClosed, toPermit(permissions)),
    builtins: {
      ...from.desk.builtins,
      permissions: async () => (await permissions()).current(),
      permit: unlessClosed,
    },
    guard: { limit: options.loopLimit ?? from.desk.guard.limit, repeats: NO_REPEATS },
  }
  const close = async (): Promise<void> => {
    isClosed = true
    for (const stop of stops) stop()
    stops.clear()
  }
  return {
    tools,
    builtinTools,
    on: (_event, listener) => onChange(listener),
    call: (name, args, callOptions = {}) => callTool(desk, { name, args, options: callOptions }),
    permissions,
    fork: (further) =>
      openFork({ tools, builtinTools, onChange, permissions, desk, permit: unlessClosed }, further),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const NONE: readonly never[] = []

/** The same list until a tool in it changes. */
function createFilter<One>(
  isShown: ((one: One) => boolean) | undefined,
): (all: readonly One[]) => readonly One[] {
  if (isShown === undefined) return (all) => all
  let seen: readonly One[] = NONE
  let shown: readonly One[] = NONE
  return (all) => {
    const now = all === seen ? shown : all.filter(isShown)
    const isSame = now.length === shown.length && now.every((one, i) => one === shown[i])
    seen = all
    if (!isSame) shown = now
    return shown
  }
}

function both(first: Permit, second: Permit): Permit {
  return (tool, wanted) =>
    atOnce(first(tool, wanted), (one) =>
      one.kind === 'allowed' ? atOnce(second(tool, wanted), (other) => join(one, other)) : one,
    )
}

function join(one: Extract<Permission, { kind: 'allowed' }>, other: Permission): Permission {
  return other.kind === 'allowed' && !one.isUnchanged ? { ...other, isUnchanged: false } : other
}

function forkClosed(tool: ToolToCall): Problem {
  return createProblem({
    code: 'permit/denied',
    message: `the agent that wanted ${titleOf(tool)} is over, so it was not called`,
  })
}
