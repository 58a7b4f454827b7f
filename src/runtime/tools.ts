/**
 * tools: what every server offers, as one list in a stable order.
 */
import { isObject } from '../base/is-object.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import type { Connection, ConnectionState } from '../model/connection.ts'
import type { ListedTool, Offering } from '../model/offering.ts'
import { SOURCE_TITLES } from '../model/origin.ts'
import type { NameStyle } from '../model/settings.ts'
import { nameOf } from '../pipeline/name/name.ts'
import { toNone } from '../pipeline/name/profiles/none.ts'

export interface BoardTool {
  /** The name that the model sees. */
  readonly name: string
  readonly server: string
  /** The name that the server uses. */
  readonly tool: string
  readonly description?: string
  /** As the server sent it, but an object schema without `properties` gets empty ones. For a provider: `toolsFor`. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations?: Readonly<Record<string, unknown>>
  /** `mcp:github via Cursor`. */
  readonly label: string
  /** Known from last time, while its server is still connecting. */
  readonly isDeferred: boolean
  /** As the server sent it. */
  readonly definition: ListedTool
}

/** What the tool list needs of a server. */
export interface Offerer {
  readonly server: AdmittedServer
  readonly connection: Connection
  readonly offering: Offering | undefined
}

export interface ToolList {
  /** Returns whether the list changed since the last update. */
  update(servers: readonly Offerer[]): boolean
  /** Returns the same value as before when nothing in it changed: a host compares by identity. */
  of(servers: readonly Offerer[]): readonly BoardTool[]
}

/**
 * The part of one server. It depends on the tools, on the connection and on how names are made. It is made on demand.
 */
interface Slice {
  readonly listed: readonly ListedTool[]
  readonly isDeferred: boolean
  readonly style: NameStyle
}

export interface ToolListOptions {
  /** A reload can change it. */
  style(): NameStyle
  /** The tools of a server as their user approved them; the same list until a tool changes. */
  approved(server: string, listed: readonly ListedTool[]): readonly ListedTool[]
}

export function createToolList({ style: styleNow, approved }: ToolListOptions): ToolList {
  const made = new WeakMap<readonly ListedTool[], Slice & { readonly tools: readonly BoardTool[] }>()
  /** At the last update, and at the last read. */
  let told: readonly Slice[] = []
  let seen: readonly Slice[] = []
  let tools: readonly BoardTool[] = []

  const sliceOf = ({ server, offering, connection: { state } }: Offerer): Slice | undefined => {
    if (offering === undefined || offering.tools.length === 0 || OFFERS_NOTHING.has(state)) return undefined
    const listed = approved(server.name, offering.tools)
    return { listed, isDeferred: state !== 'ready', style: styleNow() }
  }
  const slicesOf = (servers: readonly Offerer[]): readonly Slice[] =>
    servers.map(sliceOf).filter((slice) => slice !== undefined)
  const toolsOf = (one: Offerer): readonly BoardTool[] => {
    const slice = sliceOf(one)
    if (slice === undefined) return []
    const known = made.get(slice.listed)
    if (known !== undefined && isSame(known, slice)) return known.tools
    const fresh = slice.listed.map((definition) => toTool(one, definition, slice))
    made.set(slice.listed, { ...slice, tools: fresh })
    return fresh
  }
  return {
    update(servers) {
      const now = slicesOf(servers)
      const hasChanged = !areSame(now, told)
      told = now
      return hasChanged
    },
    of(servers) {
      const now = slicesOf(servers)
      if (!areSame(now, seen)) tools = withoutNamesakes(servers.flatMap(toolsOf))
      seen = now
      return tools
    },
  }
}

/**
 * A hash of 32 bits can be forged, and a provider refuses a whole request for a name that occurs twice. Neither of two
 * tools that share a name is shown, as neither can be called by it.
 */
function withoutNamesakes(tools: readonly BoardTool[]): readonly BoardTool[] {
  const met = new Set<string>()
  const shared = new Set<string>()
  for (const { name } of tools) (met.has(name) ? shared : met).add(name)
  return shared.size === 0 ? tools : tools.filter(({ name }) => !shared.has(name))
}

/** A server that failed, or waits for a sign-in, offers nothing: a model should not be invited to call it. */
export const OFFERS_NOTHING: ReadonlySet<ConnectionState> = new Set(['failed', 'needs-auth', 'closed'])

function areSame(a: readonly Slice[], b: readonly Slice[]): boolean {
  return a.length === b.length && a.every((slice, i) => isSame(slice, b[i]!))
}

function isSame(a: Slice, b: Slice): boolean {
  return a.listed === b.listed && a.isDeferred === b.isDeferred && a.style === b.style
}

/** `isDeferred`: the tool is known from last time. */
export function toTool(
  { server: { name: server, found } }: Pick<Offerer, 'server'>,
  definition: ListedTool,
  { isDeferred, style }: Pick<Slice, 'isDeferred' | 'style'>,
): BoardTool {
  const { name: tool, description, inputSchema, annotations } = definition
  return {
    name: nameOf(server, tool, style),
    server,
    tool,
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: toNone(inputSchema),
    ...(isObject(annotations) ? { annotations } : {}),
    label: `mcp:${server} via ${SOURCE_TITLES[found.origin.source]}`,
    isDeferred,
    definition,
  }
}
