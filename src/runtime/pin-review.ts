/**
 * pin-review: compares the approved tools with what their servers last listed.
 *
 * in     the pins on disk, and the cache of offerings
 * out    for each pin whether its tool is the same, changed, renamed or gone
 * never  starts a server: a call compares its live tool
 */
import type { ListedTool } from '../model/offering.ts'
import type { Pin, PinDiff } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { permit } from '../pipeline/permit/permit.ts'
import { diffPin } from '../pipeline/permit/pin-diff.ts'
import { findChange, findFormer, toPin } from '../pipeline/permit/pins.ts'
import { nameOf } from '../pipeline/name/name.ts'
import type { World } from '../world/world.ts'
import { findKnownTools } from './known-tools.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { createTarget, openPermissions } from './permissions.ts'
import { addPins, isSamePin, pinFile } from './pin-store.ts'
import { readState, updateState } from './state-file.ts'
import { createFingerprints } from './trust-fingerprint.ts'

/** `name`: the name of the tool as a model sees it. */
export type ReviewedPin = { readonly pin: Pin; readonly name: string } & (
  | { readonly state: 'same' | 'gone' | 'unknown' }
  | { readonly state: 'changed' | 'renamed'; readonly now: ListedTool; readonly diff: PinDiff }
)

export interface PinReview {
  readonly pins: readonly ReviewedPin[]
  readonly problem?: Problem
}

export function reviewPins(world: World, loaded: LoadedCatalog): PinReview {
  const { value: pins, problem } = readState(world, pinFile(world, loaded.dirs))
  if (problem !== undefined) return { pins: [], problem }
  if (pins.length === 0) return { pins: [] }
  const toolsOf = toolsByFingerprint(world, loaded)
  const named = pins.map((pin) => ({ pin, name: nameOf(pin.server, pin.tool, loaded.toolNames) }))
  return { pins: named.map((one) => review(one, pins, toolsOf.get(one.pin.fingerprint))) }
}

/**
 * Approves the changed tools as they are known now; a renamed tool only under its new name. Throws `permit/unwritable`.
 */
export async function acceptPins(
  world: World,
  loaded: LoadedCatalog,
  reviewed: readonly ReviewedPin[],
): Promise<void> {
  const at = new Date(world.clock.now()).toISOString()
  const accepted = reviewed.flatMap((one) => {
    if (one.state !== 'changed' && one.state !== 'renamed') return []
    const { server, fingerprint } = one.pin
    return [toPin({ server, fingerprint, tool: one.now.name, definition: one.now }, at)]
  })
  const former = reviewed.filter(({ state }) => state === 'renamed').map(({ pin }) => pin)
  await updateState(world, pinFile(world, loaded.dirs), (pins) =>
    addPins(
      pins.filter((pin) => !former.some((one) => isSamePin(one, pin))),
      accepted,
    ),
  )
}

/**
 * Forgets pins, so that their tools are approved anew, as they are then. Returns those that a rule or a grant allows:
 * for these the user will not be asked. Throws `permit/unwritable`.
 */
export async function forgetPins(
  world: World,
  loaded: LoadedCatalog,
  reviewed: readonly ReviewedPin[],
): Promise<readonly ReviewedPin[]> {
  await updateState(world, pinFile(world, loaded.dirs), (pins) =>
    pins.filter((pin) => !reviewed.some((one) => isSamePin(one.pin, pin))),
  )
  const now = (await openPermissions(world, loaded)).current()
  return reviewed.filter(({ pin: { server, tool, fingerprint, definition }, name }) => {
    const target = createTarget({ server, tool, name, definition }, fingerprint)
    return permit(now, target, 'model').action === 'allow'
  })
}

function toolsByFingerprint(world: World, loaded: LoadedCatalog): ReadonlyMap<string, readonly ListedTool[]> {
  const fingerprintOf = createFingerprints(world, loaded)
  return new Map(
    findKnownTools(world, loaded).map(({ server, tools }) => [fingerprintOf(server.name)!, tools]),
  )
}

function review(
  named: Pick<ReviewedPin, 'pin' | 'name'>,
  pins: readonly Pin[],
  tools: readonly ListedTool[] | undefined,
): ReviewedPin {
  const { pin } = named
  if (tools === undefined) return { ...named, state: 'unknown' }
  const now = tools.find(({ name }) => name === pin.tool)
  if (now !== undefined) {
    const change = findChange(pin, now)
    if (change === undefined) return { ...named, state: 'same' }
    return { ...named, state: 'changed', now, diff: diffPin(pin.definition, now) }
  }
  const renamed = tools.find((tool) => isSuccessor(pin, pins, tool))
  if (renamed === undefined) return { ...named, state: 'gone' }
  return { ...named, state: 'renamed', now: renamed, diff: diffPin(pin.definition, renamed) }
}

/** Whether this tool has no pin of its own, and differs from the pinned tool only in its name. */
function isSuccessor(pin: Pin, pins: readonly Pin[], definition: ListedTool): boolean {
  const { fingerprint } = pin
  const target = { fingerprint, tool: definition.name, definition }
  return !pins.some((one) => isSamePin(one, target)) && findFormer([pin], target) !== undefined
}
