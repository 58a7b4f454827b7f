/** profile: which provider's rules the schema of a tool must follow. */

/** `openai-strict` is for tools that are sent with `strict: true`. `none`: as the server wrote it. */
export type Profile = 'anthropic' | 'openai' | 'openai-strict' | 'gemini' | 'moonshot' | 'none'

export const PROFILES: readonly Profile[] = [
  'anthropic',
  'openai',
  'openai-strict',
  'gemini',
  'moonshot',
  'none',
]

export type JsonSchema = Readonly<Record<string, unknown>>

/** A schema that the provider accepts, or why there is none, as a clause: "its schema refers to itself, …". */
export type ProviderSchema =
  | { readonly kind: 'schema'; readonly schema: JsonSchema }
  | { readonly kind: 'quarantined'; readonly reason: string }
