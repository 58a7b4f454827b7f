/**
 * pins: whether a tool still is what its user approved.
 *
 * in     a tool as its server describes it today, and as it was
 * out    the pin to keep, or the change
 * never  looks at more than name, description and schema: the rest of a definition decides nothing
 */
import { isObject } from '../../base/is-object.ts'
import { sha256 } from '../../base/sha256.ts'
import { toStableJson } from '../../base/stable-json.ts'
import type { ListedTool } from '../../model/offering.ts'
import type { CallTarget, Pin, PinChange, PinnedDefinition, ToolHints } from '../../model/permission.ts'

/** `at` is ISO 8601. */
export function toPin(
  { server, fingerprint, tool, definition }: Omit<CallTarget, 'name' | 'otherNames'>,
  at: string,
): Pin {
  return {
    server,
    fingerprint,
    tool,
    hash: hashOf(definition),
    at,
    definition: toPinnedDefinition(definition),
  }
}

export function findChange(pin: Pin, tool: ListedTool): PinChange | undefined {
  return pin.hash === hashOf(tool) ? undefined : { was: pin, is: toPinnedDefinition(tool) }
}

/**
 * The tool that this one was, before its server renamed it: the same server, description and schema. A tool that says
 * nothing of itself is like many.
 */
export function findFormer(
  pins: readonly Pin[],
  { fingerprint, tool, definition }: Pick<CallTarget, 'fingerprint' | 'tool' | 'definition'>,
): Pin | undefined {
  const { description } = definition
  if (typeof description !== 'string' || description.trim() === '') return undefined
  const body = bodyOf(toPinnedDefinition(definition))
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

/** By definition, which is the same object for as long as the server's list is. */
const HASHES = new WeakMap<object, string>()

function hashOf(tool: ListedTool): string {
  const known = HASHES.get(tool)
  if (known !== undefined) return known
  const { name, description, inputSchema } = toPinnedDefinition(tool)
  const hash = sha256(toStableJson({ name, description, inputSchema }))
  HASHES.set(tool, hash)
  return hash
}

function bodyOf({ description, inputSchema }: PinnedDefinition): string {
  return toStableJson({ description, inputSchema })
}

function toPinnedDefinition(tool: ListedTool): PinnedDefinition {
  const { name, description, inputSchema } = tool
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema,
    hints: hintsOf(tool),
  }
}
