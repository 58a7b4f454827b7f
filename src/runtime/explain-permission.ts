/**
 * explain-permission: may a model call a tool, and what decides that. Asks no user, starts no server.
 */
import type { Considered, Evidence, PermissionRule, PinChange, Verdict } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { denialsOf, denyBuiltin } from '../pipeline/permit/permit-builtin.ts'
import { consider, permit } from '../pipeline/permit/permit.ts'
import { findChange } from '../pipeline/permit/pins.ts'
import type { World } from '../world/world.ts'
import type { BuiltinTool } from './builtin-tools.ts'
import { requireTool, type FoundTool } from './meant-tool.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { createTarget, openPermissions } from './permissions.ts'
import { createFingerprints } from './trust-fingerprint.ts'

export interface ExplainedPermission extends FoundTool {
  readonly verdict: Verdict
  readonly considered: Considered
  /** How the tool, as last listed, differs from what the user approved. */
  readonly change: PinChange | undefined
  readonly problems: readonly Problem[]
}

/** Throws `permit/unknown-tool`. */
export async function explainPermission(
  world: World,
  loaded: LoadedCatalog,
  name: string,
): Promise<ExplainedPermission> {
  const found = requireTool(world, loaded, name)
  const { tool, isKnown } = found
  const open = await openPermissions(world, loaded)
  const now = open.current()
  const target = createTarget(tool, createFingerprints(world, loaded)(tool.server)!)
  const considered = consider(now, target)
  const { pin } = considered
  return {
    ...found,
    // Without knowledge of the current tool, a change cannot be reported.
    verdict: permit(isKnown ? now : { ...now, pins: [] }, target, 'model'),
    considered,
    change: isKnown && pin !== undefined ? findChange(pin, tool.definition) : undefined,
    problems: open.problems(),
  }
}

export interface ExplainedBuiltin {
  readonly tool: BuiltinTool
  readonly verdict: Verdict
  /** The rules that deny it by its own name. */
  readonly rules: readonly PermissionRule[]
  /** Servers of which the tool may not read, when it may read at all. */
  readonly closed: readonly { readonly server: string; readonly by: Evidence }[]
  readonly problems: readonly Problem[]
}

/** For our own tools the user is not asked, and nothing is granted or pinned. */
export async function explainBuiltin(
  world: World,
  loaded: LoadedCatalog,
  tool: BuiltinTool,
): Promise<ExplainedBuiltin> {
  const open = await openPermissions(world, loaded)
  const now = open.current()
  const by = denyBuiltin(now, tool)
  const servers = by === undefined && tool.access === 'read' ? loaded.catalog.servers : []
  return {
    tool,
    verdict: by === undefined ? { action: 'allow', by: { kind: 'default' } } : { action: 'deny', by },
    rules: denialsOf(now.rules, tool.name),
    closed: servers.flatMap(({ name: server }) => {
      const why = denyBuiltin(now, tool, server)
      return why === undefined ? [] : [{ server, by: why }]
    }),
    problems: open.problems(),
  }
}
