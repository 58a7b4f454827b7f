/**
 * tools-for: the tools of a board as one provider takes them.
 *
 * in     what `board.tools()` gave, and the provider's profile
 * out    the tools with schemas that fit, in the same order, and for every other one why it is kept back
 * never  does the same work twice: the same list gives the same answer, and a schema that was mended is remembered with its definition
 */
import type { JsonSchema, Profile, ProviderSchema } from '../model/profile.ts'
import { findNameFault } from '../pipeline/name/name-fault.ts'
import { toProviderSchema } from '../pipeline/name/schema.ts'
import type { BoardTool } from './tools.ts'

export interface ProviderTools {
  readonly tools: readonly BoardTool[]
  readonly quarantined: readonly QuarantinedTool[]
}

export interface QuarantinedTool {
  /** What the model would see it called. */
  readonly name: string
  readonly server: string
  /** What the server calls it. */
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
    for (const tool of tools) {
      const made = schemaFor(tool, profile)
      if (made.kind === 'schema') kept.push(withSchema(tool, made.schema))
      else quarantined.push({ name: tool.name, server: tool.server, tool: tool.tool, reason: made.reason })
    }
    return { tools: kept, quarantined }
  })
}

/** Remembered with the definition. */
export function schemaFor(
  { name, definition: { inputSchema } }: BoardTool,
  profile: Profile,
): ProviderSchema {
  const reason = findNameFault(name, profile)
  if (reason !== undefined) return { kind: 'quarantined', reason }
  return remember(SCHEMAS, [inputSchema, profile], () => toProviderSchema(inputSchema, profile))
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
