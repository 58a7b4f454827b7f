/**
 * approved-tools: what servers list, with each approved tool in the form that the user approved.
 *
 * in     the pins in force, and what a server lists
 * out    the same list or offering when nothing differs, and the same changed one until something in it changes
 * never  shows a change before the user accepts it; adds a tool that the server does not list
 */
import type { ListedTool, Offering } from '../model/offering.ts'
import type { Pin } from '../model/permission.ts'
import { toApproved } from '../pipeline/permit/pins.ts'
import type { FingerprintOf } from './trust-fingerprint.ts'

export interface ApprovedTools {
  tools(server: string, listed: readonly ListedTool[]): readonly ListedTool[]
  offering(server: string, offering: Offering): Offering
}

export interface ApprovedToolsOptions {
  /** The same value until a pin changes. */
  pins(): readonly Pin[]
  readonly fingerprintOf: FingerprintOf
}

interface Made {
  readonly pins: readonly Pin[]
  readonly tools: readonly ListedTool[]
}

export function createApprovedTools({ pins: pinsNow, fingerprintOf }: ApprovedToolsOptions): ApprovedTools {
  let sorted: Sorted = sort([])
  const made = new WeakMap<readonly ListedTool[], Made>()
  /** By server. A list that is read again may differ only in changes that are not shown. */
  const shown = new Map<string, readonly ListedTool[]>()
  const offerings = new WeakMap<Offering, Offering>()

  const make = (server: string, listed: readonly ListedTool[]): readonly ListedTool[] => {
    const byName = sorted.byTool
    if (!listed.some(({ name }) => byName.has(name))) return listed
    const fingerprint = fingerprintOf(server)
    const tools = listed.map((tool) => {
      const pin = byName.get(tool.name)?.find((one) => one.fingerprint === fingerprint)
      return pin === undefined ? tool : toApproved(pin, tool)
    })
    return tools.every((tool, i) => tool === listed[i]) ? listed : tools
  }
  const tools = (server: string, listed: readonly ListedTool[]): readonly ListedTool[] => {
    const pins = pinsNow()
    if (pins.length === 0) return listed
    if (sorted.pins !== pins) sorted = sort(pins)
    const known = made.get(listed)
    if (known?.pins === pins) return known.tools
    const fresh = make(server, listed)
    const before = shown.get(server)
    const now = before !== undefined && isEqual(before, fresh) ? before : fresh
    shown.set(server, now)
    made.set(listed, { pins, tools: now })
    return now
  }
  return {
    tools,
    offering(server, offering) {
      const approved = tools(server, offering.tools)
      if (approved === offering.tools) return offering
      const known = offerings.get(offering)
      if (known?.tools === approved) return known
      const fresh = { ...offering, tools: approved }
      offerings.set(offering, fresh)
      return fresh
    },
  }
}

interface Sorted {
  readonly pins: readonly Pin[]
  readonly byTool: ReadonlyMap<string, readonly Pin[]>
}

function sort(pins: readonly Pin[]): Sorted {
  const byTool = new Map<string, Pin[]>()
  for (const pin of pins) byTool.set(pin.tool, [...(byTool.get(pin.tool) ?? []), pin])
  return { pins, byTool }
}

function isEqual(a: readonly ListedTool[], b: readonly ListedTool[]): boolean {
  return a.length === b.length && JSON.stringify(a) === JSON.stringify(b)
}
