/**
 * tools: what every server offers, as one list in a stable order.
 */
import { SOURCE_TITLES } from '../model/origin.ts'
import type { ListedTool } from '../model/offering.ts'
import { nameOf } from '../pipeline/name/name.ts'
import type { ServerSnapshot } from './supervisor.ts'

export interface BoardTool {
  /** What the model sees it called. */
  readonly name: string
  readonly server: string
  /** What the server calls it. */
  readonly tool: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>>
  /** `mcp:github via Cursor`. */
  readonly label: string
  /** Known from last time; its server is still on its way. */
  readonly isDeferred: boolean
  /** As the server sent it. */
  readonly definition: ListedTool
}

/** The list before, when nothing in it changed: a host compares by identity. */
export function toTools(
  servers: readonly ServerSnapshot[],
  before: readonly BoardTool[],
): readonly BoardTool[] {
  const tools = servers.flatMap(toToolsOf)
  const isSame = tools.length === before.length && tools.every((tool, i) => isEqual(tool, before[i]!))
  return isSame ? before : tools
}

function toToolsOf({ name: server, origin, offering, connection }: ServerSnapshot): readonly BoardTool[] {
  if (offering === undefined || connection.state === 'closed') return []
  return offering.tools.map((definition) => {
    const { name: tool, description, inputSchema, annotations } = definition
    return {
      name: nameOf(server, tool, 'double'),
      server,
      tool,
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema,
      ...(typeof annotations === 'object' && annotations !== null
        ? { annotations: annotations as Readonly<Record<string, unknown>> }
        : {}),
      label: `mcp:${server} via ${SOURCE_TITLES[origin.source]}`,
      isDeferred: connection.state !== 'ready',
      definition,
    }
  })
}

function isEqual(a: BoardTool, b: BoardTool): boolean {
  return a.name === b.name && a.definition === b.definition && a.isDeferred === b.isDeferred
}
