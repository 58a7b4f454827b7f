/**
 * provider-tools: the tools of a board as a provider takes them.
 *
 * in     tools, and the profiles to try, the most wanted first
 * out    each tool with the first schema that can be made for it, and why there is none for the others
 */
import type { Params } from '../model/message.ts'
import type { JsonSchema, Profile } from '../model/profile.ts'
import { withoutNulls } from '../pipeline/name/without-nulls.ts'
import { schemaFor } from './tools-for.ts'
import type { BoardTool } from './tools.ts'

export type ProviderTool =
  | {
      readonly kind: 'fits'
      readonly tool: BoardTool
      readonly schema: JsonSchema
      readonly profile: Profile
    }
  /** `reason`: a clause, for the profile that was tried last. */
  | { readonly kind: 'left-out'; readonly tool: BoardTool; readonly reason: string }

export function toProviderTools(
  tools: readonly BoardTool[],
  profiles: readonly [Profile, ...Profile[]],
): readonly ProviderTool[] {
  return tools.map((tool) => toProviderTool(tool, profiles))
}

function toProviderTool(
  tool: BoardTool,
  [profile, ...others]: readonly [Profile, ...Profile[]],
): ProviderTool {
  const made = schemaFor(tool, profile)
  if (made.kind === 'schema') return { kind: 'fits', tool, schema: made.schema, profile }
  const [next, ...rest] = others
  return next === undefined
    ? { kind: 'left-out', tool, reason: made.reason }
    : toProviderTool(tool, [next, ...rest])
}

/** Arguments for a tool whose model writes null for what it leaves out. */
export function withoutNullsFor({ definition: { inputSchema } }: BoardTool, args: Params): Params {
  return withoutNulls(inputSchema, args)
}
