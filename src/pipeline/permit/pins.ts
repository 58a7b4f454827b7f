/**
 * pins: finds out whether a tool is still as its user approved it.
 *
 * in     a tool as its server lists it today, and as it was approved
 * out    the pin to keep, the change, and the form that models and clients get
 * never  leaves out a field of the definition: clients receive them all
 */
import { isObject } from '../../base/is-object.ts'
import { sha256 } from '../../base/sha256.ts'
import { toStableJson } from '../../base/stable-json.ts'
import type { ListedTool } from '../../model/offering.ts'
import type { CallTarget, Pin, PinChange, ToolHints } from '../../model/permission.ts'

/** `at` is ISO 8601. */
export function toPin(
  { server, fingerprint, tool, definition }: Omit<CallTarget, 'name' | 'otherNames'>,
  at: string,
): Pin {
  return { server, fingerprint, tool, hash: hashOf(definition), at, definition, isWhole: true }
}

export function findChange(pin: Pin, tool: ListedTool): PinChange | undefined {
  const isSame = pin.isWhole ? pin.hash === hashOf(tool) : isSameInPart(pin, tool)
  return isSame ? undefined : { was: pin, is: tool }
}

/** The tool as it was approved, until its user accepts the change. */
export function toApproved(pin: Pin, tool: ListedTool): ListedTool {
  return findChange(pin, tool) === undefined ? tool : pin.definition
}

/** The pin of an older version. Its file has hints in place of annotations. */
export function fromOlderPin({ name, description, inputSchema, hints }: OlderDefinition): ListedTool {
  const annotations = Object.fromEntries(
    Object.entries(HINTS).flatMap(([hint, field]) => (hint in hints ? [[field, hints[hint]]] : [])),
  )
  return {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  }
}

export interface OlderDefinition {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly hints: Readonly<Record<string, unknown>>
}

/**
 * Finds the tool that the server has renamed to this one: same server, description and schema. A tool without a
 * description matches too many others.
 */
export function findFormer(
  pins: readonly Pin[],
  { fingerprint, tool, definition }: Pick<CallTarget, 'fingerprint' | 'tool' | 'definition'>,
): Pin | undefined {
  const { description } = definition
  if (typeof description !== 'string' || description.trim() === '') return undefined
  const body = bodyOf(definition)
  return pins.find(
    (pin) => pin.fingerprint === fingerprint && pin.tool !== tool && bodyOf(pin.definition) === body,
  )
}

export function hintsOf({ annotations }: Readonly<Record<string, unknown>>): ToolHints {
  if (!isObject(annotations)) return {}
  const hints: Record<string, boolean> = {}
  for (const [hint, field] of Object.entries(HINTS)) {
    const value = annotations[field]
    if (typeof value === 'boolean') hints[hint] = value
  }
  return hints
}

const HINTS: Readonly<Record<keyof ToolHints, string>> = {
  readOnly: 'readOnlyHint',
  destructive: 'destructiveHint',
  idempotent: 'idempotentHint',
  openWorld: 'openWorldHint',
}

/** Keyed by the definition, which stays the same object while the server's list does. */
const HASHES = new WeakMap<object, string>()

function hashOf(tool: ListedTool): string {
  const known = HASHES.get(tool)
  if (known !== undefined) return known
  const hash = sha256(toStableJson(tool))
  HASHES.set(tool, hash)
  return hash
}

/** Compares the fields that the older version compared, and the hints. */
function isSameInPart(pin: Pin, tool: ListedTool): boolean {
  const { name, inputSchema } = tool
  const hash = sha256(toStableJson({ name, description: textOf(tool), inputSchema }))
  return pin.hash === hash && toStableJson(hintsOf(pin.definition)) === toStableJson(hintsOf(tool))
}

function bodyOf(tool: ListedTool): string {
  return toStableJson({ description: textOf(tool), inputSchema: tool.inputSchema })
}

function textOf({ description }: ListedTool): string | undefined {
  return typeof description === 'string' ? description : undefined
}
