/**
 * tools-for: the tools of a board in the form that a provider takes.
 *
 * in     what `board.tools()` gave, and the profile; or several, the most wanted first
 * out    the tools with schemas that fit, in the same order, and for every other tool why it is left out
 * never  does the same work twice: the same list gives the same answer, and a mended schema is cached with its
 *        definition
 */
import { isTooDeep } from '../base/depth.ts'
import { isObject } from '../base/is-object.ts'
import type { JsonSchema, Profile, ProviderSchema } from '../model/profile.ts'
import { findNameFault } from '../pipeline/name/name-fault.ts'
import { toProviderSchema } from '../pipeline/name/schema.ts'
import { withoutNulls } from '../pipeline/name/without-nulls.ts'
import type { BoardTool } from './tools.ts'

export interface ProviderTools {
  readonly tools: readonly BoardTool[]
  readonly quarantined: readonly QuarantinedTool[]
}

export interface QuarantinedTool {
  /** The name that the model would see. */
  readonly name: string
  readonly server: string
  /** The name that the server uses. */
  readonly tool: string
  /** As a clause: "its schema refers to itself, …". */
  readonly reason: string
}

type Memo<Key extends object, Value> = WeakMap<Key, Map<Profile, Value>>

const LISTS: Memo<readonly BoardTool[], ProviderTools> = new WeakMap()
const SCHEMAS: Memo<JsonSchema, ProviderSchema> = new WeakMap()

export function toolsFor(tools: readonly BoardTool[], profile: Profile): ProviderTools {
  return remember(LISTS, [tools, profile], () => {
    const kept: BoardTool[] = []
    const quarantined: QuarantinedTool[] = []
    for (const one of fitTools(tools, [profile])) {
      const { name, server, tool } = one.tool
      if (one.kind === 'fits') kept.push(withSchema(one.tool, one.schema))
      else quarantined.push({ name, server, tool, reason: one.reason })
    }
    return { tools: kept, quarantined }
  })
}

export type FittedTool =
  | {
      readonly kind: 'fits'
      readonly tool: BoardTool
      readonly schema: JsonSchema
      readonly profile: Profile
    }
  /** `reason`: a clause, for the last profile that was tried. */
  | { readonly kind: 'left-out'; readonly tool: BoardTool; readonly reason: string }

/** Each tool with the first schema that can be made for it. */
export function fitTools(
  tools: readonly BoardTool[],
  profiles: readonly [Profile, ...Profile[]],
): readonly FittedTool[] {
  return tools.map((tool) => fitTool(tool, profiles))
}

function fitTool(tool: BoardTool, [profile, ...others]: readonly [Profile, ...Profile[]]): FittedTool {
  const made = schemaFor(tool, profile)
  if (made.kind === 'schema') return { kind: 'fits', tool, schema: made.schema, profile }
  const [next, ...rest] = others
  return next === undefined ? { kind: 'left-out', tool, reason: made.reason } : fitTool(tool, [next, ...rest])
}

function schemaFor({ name, definition: { inputSchema } }: BoardTool, profile: Profile): ProviderSchema {
  const reason = findNameFault(name, profile)
  if (reason !== undefined) return { kind: 'quarantined', reason }
  return remember(SCHEMAS, [inputSchema, profile], () => toProviderSchema(inputSchema, profile))
}

/**
 * Turns what a model wrote into arguments for a tool. Nothing at all is an object without properties, and null stands
 * for what is left out. Anything but an object stays as it is, so that the board refuses it.
 */
export function argumentsFor({ definition: { inputSchema } }: BoardTool, written: unknown): unknown {
  const args = written ?? {}
  // The call refuses arguments that are nested too deep, or are no object.
  return isObject(args) && !isTooDeep(args) ? withoutNulls(inputSchema, args) : args
}

function withSchema(tool: BoardTool, inputSchema: JsonSchema): BoardTool {
  return tool.inputSchema === inputSchema ? tool : { ...tool, inputSchema }
}

function remember<Key extends object, Value extends object>(
  memo: Memo<Key, Value>,
  [key, profile]: readonly [Key, Profile],
  make: () => Value,
): Value {
  const known = memo.get(key) ?? new Map<Profile, Value>()
  memo.set(key, known)
  const value = known.get(profile) ?? make()
  known.set(profile, value)
  return value
}
