/** builtin: the names of Plugboard's own tools, which belong to no server. */
export const BUILTIN_NAMES = [
  'listMcpResources',
  'readMcpResource',
  'listMcpPrompts',
  'getMcpPrompt',
] as const

export type BuiltinName = (typeof BUILTIN_NAMES)[number]
