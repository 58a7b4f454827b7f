/**
 * look-up: finds the tool for a name, and the tool for a server with its raw tool name.
 *
 * in     tools that have their names
 * out    a table for both directions
 * never  splits a name into its parts; returns one of two tools with the same name, which only a forged hash can cause
 */
export interface NamedTool {
  /** The name that the model sees. */
  readonly name: string
  readonly server: string
  /** The server's own name of the tool. */
  readonly tool: string
}

export interface ToolTable<Tool> {
  byName(name: string): Tool | undefined
  /** By the raw names of server and tool. */
  byPair(server: string, tool: string): Tool | undefined
}

export function tabulate<Tool extends NamedTool>(tools: readonly Tool[]): ToolTable<Tool> {
  const names = new Map<string, Tool | undefined>()
  const pairs = new Map<string, Map<string, Tool>>()
  for (const one of tools) {
    // An attacker can search 32 bits for a tool with the same name as another. Its tool must not get the other's calls.
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
