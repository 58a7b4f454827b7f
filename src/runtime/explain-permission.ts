/**
 * explain-permission: may a model call a tool, and what that depends on. Asks nobody, starts nothing.
 */
import type { Considered, PinChange, Verdict } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { consider, permit } from '../pipeline/permit/permit.ts'
import { findChange } from '../pipeline/permit/pins.ts'
import type { World } from '../world/world.ts'
import { requireTool, type FoundTool } from './meant-tool.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { createTarget, openPermissions } from './permissions.ts'
import { createFingerprints } from './trust-fingerprint.ts'

export interface ExplainedPermission extends FoundTool {
  readonly verdict: Verdict
  readonly considered: Considered
  /** How the tool, as it was last seen, differs from what was approved. */
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
    // Where nothing is known of the tool as it is, nothing can be said about a change.
    verdict: permit(isKnown ? now : { ...now, pins: [] }, target, 'model'),
    considered,
    change: isKnown && pin !== undefined ? findChange(pin, tool.definition) : undefined,
    problems: open.problems(),
  }
}
