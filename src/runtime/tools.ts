/**
 * tools: what every server offers, as one list in a stable order.
 */
import { isObject } from '../base/is-object.ts'
import type { ListedTool, Offering } from '../model/offering.ts'
import { SOURCE_TITLES } from '../model/origin.ts'
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

export interface ToolList {
  /** The list before, when nothing in it changed: a host compares by identity. */
  of(servers: readonly ServerSnapshot[]): readonly BoardTool[]
}

/** Remembers the slice of each server, since of all slices at most one changes at a time. */
export function createToolList(): ToolList {
  const slices = new WeakMap<
    Offering,
    { readonly isDeferred: boolean; readonly tools: readonly BoardTool[] }
  >()
  let last: { readonly slices: readonly (readonly BoardTool[])[]; readonly tools: readonly BoardTool[] } = {
    slices: [],
    tools: [],
  }
  const sliceOf = (server: ServerSnapshot): readonly BoardTool[] => {
    const { offering, connection } = server
    if (offering === undefined || connection.state === 'closed') return NONE
    const isDeferred = connection.state !== 'ready'
    const known = slices.get(offering)
    if (known?.isDeferred === isDeferred) return known.tools
    const tools = offering.tools.map((definition) => toTool(server, definition, isDeferred))
    slices.set(offering, { isDeferred, tools })
    return tools
  }
  return {
    of(servers) {
      const now = servers.map(sliceOf).filter((slice) => slice.length > 0)
      const isSame = now.length === last.slices.length && now.every((slice, i) => slice === last.slices[i])
      if (!isSame) last = { slices: now, tools: now.flat() }
      return last.tools
    },
  }
}

const NONE: readonly BoardTool[] = []

function toTool(
  { name: server, origin }: ServerSnapshot,
  definition: ListedTool,
  isDeferred: boolean,
): BoardTool {
  const { name: tool, description, inputSchema, annotations } = definition
  return {
    name: nameOf(server, tool, 'double'),
    server,
    tool,
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema,
    ...(isObject(annotations) ? { annotations } : {}),
    label: `mcp:${server} via ${SOURCE_TITLES[origin.source]}`,
    isDeferred,
    definition,
  }
}
