/**
 * look-up: from a name back to its tool, and from a server and its tool to the same.
 *
 * in     tools that have their names
 * out    a table for both ways
 * never  takes a name apart; leads to one of two tools that share a name, should a hash ever be forged
 */
export interface NamedTool {
  /** What the model sees it called. */
  readonly name: string
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
}

export interface ToolTable<Tool> {
  byName(name: string): Tool | undefined
  /** By the raw names. */
  byPair(server: string, tool: string): Tool | undefined
}

export function tabulate<Tool extends NamedTool>(tools: readonly Tool[]): ToolTable<Tool> {
  const names = new Map<string, Tool | undefined>()
  const pairs = new Map<string, Map<string, Tool>>()
  for (const one of tools) {
    // Thirty-two bits can be searched: whoever finds a second tool for a name must not get the calls meant for the first.
    names.set(one.name, names.has(one.name) ? undefined : one)
    const own = pairs.get(one.server) ?? new Map<string, Tool>()
    own.set(one.tool, one)
    pairs.set(one.server, own)
  }
  return {
    byName: (name) => names.get(name),
    byPair: (server, tool) => pairs.get(server)?.get(tool),
  }
}
