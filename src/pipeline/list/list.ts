/**
 * list: reads everything that a server offers.
 *
 * in     a session, and the time limit for each list
 * out    an Offering: the usable tools, resources, templates and prompts, and why the others cannot be used
 * never  requests what the server does not advertise; drops an item without a reason; lets one bad item or one broken
 *        list hide the tools
 */
import { isObject } from '../../base/is-object.ts'
import {
  LIST_KINDS,
  type CacheHints,
  type ListedTool,
  type ListKind,
  type Offering,
} from '../../model/offering.ts'
import type { Problem } from '../../model/problem.ts'
import { SessionError, type Hello, type Session } from '../../model/session.ts'
import { judge, type Judgement } from './judge.ts'
import { readPages, type ListOptions, type ListSource } from './pages.ts'
import { findHeaderFault } from './param-headers.ts'
import { ListError, unlistable } from './problems.ts'

const SOURCES: Readonly<Record<ListKind, ListSource & { readonly capability: string }>> = {
  tool: { capability: 'tools', method: 'tools/list', field: 'tools', what: 'tools' },
  resource: { capability: 'resources', method: 'resources/list', field: 'resources', what: 'resources' },
  'resource-template': {
    capability: 'resources',
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    what: 'resource templates',
  },
  prompt: { capability: 'prompts', method: 'prompts/list', field: 'prompts', what: 'prompts' },
}

/** The part of a session that lists need. */
export type Listable = Pick<Session, 'hello' | 'wire' | 'request'>

/** The result of reading each list. */
export type Lists = Readonly<Record<ListKind, ReadList>>

/** Reads all lists. Rejects like `readLists`. */
export async function list(session: Listable, options: ListOptions): Promise<Offering> {
  return toOffering(session.hello, await readLists(session, LIST_KINDS, { ...options, before: NO_LISTS }))
}

/**
 * Reads these lists again and keeps the others. Rejects with a SessionError or a ListError when the tools are among
 * them and cannot be listed, and when aborted.
 */
export async function readLists(
  session: Listable,
  kinds: readonly ListKind[],
  { before, ...options }: ListOptions & { readonly before: Lists },
): Promise<Lists> {
  const [asked, unasked] = [
    kinds.filter((kind) => isOffered(session, kind)),
    kinds.filter((kind) => !isOffered(session, kind)),
  ]
  const lists: Record<ListKind, ReadList> = { ...before }
  for (const kind of unasked) lists[kind] = NOTHING
  const read = async (kind: ListKind, signal: AbortSignal | undefined): Promise<void> => {
    lists[kind] = await (kind === 'tool' ? readList : readSideList)(session, kind, { ...options, signal })
  }
  if (asked.length === 1) await read(asked[0]!, options.signal)
  else if (asked.length > 1)
    await together(options.signal, (signal) => asked.map((kind) => read(kind, signal)))
  return lists
}

/** Without tools there is no offering: when one part fails, the others are not awaited. */
async function together(
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => readonly Promise<void>[],
): Promise<void> {
  const rest = new AbortController()
  try {
    await Promise.all(begin(signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal])))
  } catch (error) {
    rest.abort()
    throw error
  }
}

function isOffered({ hello }: Listable, kind: ListKind): boolean {
  return (hello.capabilities[SOURCES[kind].capability] ?? false) !== false
}

export function toOffering(hello: Hello, lists: Lists): Offering {
  const all = LIST_KINDS.map((kind) => lists[kind])
  const unlisted = LIST_KINDS.filter((kind) => lists[kind].problem !== undefined)
  const hinted = LIST_KINDS.filter((kind) => lists[kind].hints !== undefined)
  return {
    hello,
    tools: lists.tool.kept as readonly ListedTool[],
    resources: lists.resource.kept,
    resourceTemplates: lists['resource-template'].kept,
    prompts: lists.prompt.kept,
    quarantined: all.flatMap(({ quarantined }) => quarantined),
    problems: all.flatMap(({ problem }) => problem ?? []),
    ...(unlisted.length === 0 ? {} : { unlisted }),
    ...(hinted.length === 0
      ? {}
      : { caching: Object.fromEntries(hinted.map((kind) => [kind, lists[kind].hints!])) }),
  }
}

type ReadList = Judgement & { readonly problem?: Problem; readonly hints?: CacheHints }

async function readList(session: Listable, kind: ListKind, options: ListOptions): Promise<ReadList> {
  const { items, ...hints } = await readPages(session, SOURCES[kind], options)
  return {
    ...judge(kind, items, (tool) => findToolFault(session, tool)),
    ...(Object.keys(hints).length === 0 ? {} : { hints }),
  }
}

/** A list other than the tools: when it fails, it is empty and says why. */
async function readSideList(session: Listable, kind: ListKind, options: ListOptions): Promise<ReadList> {
  try {
    return await readList(session, kind, options)
  } catch (error) {
    if (error instanceof ListError) return { ...NOTHING, problem: { ...error.problem, severity: 'warning' } }
    if (!(error instanceof SessionError) || error.failure.kind === 'aborted') throw error
    return { ...NOTHING, problem: unlistable(SOURCES[kind].what, error) }
  }
}

const NOTHING: ReadList = { kept: [], quarantined: [] }

export const NO_LISTS: Lists = {
  tool: NOTHING,
  resource: NOTHING,
  'resource-template': NOTHING,
  prompt: NOTHING,
}

function findToolFault(session: Listable, tool: ListedTool): string | undefined {
  const fault = needsHeaders(session) ? findHeaderFault(tool.inputSchema) : undefined
  return fault ?? (needsTask(session, tool) ? NEEDS_TASK : undefined)
}

const NEEDS_TASK =
  'it can only be called as a task (`execution.taskSupport` is `required`), which Plugboard does not do yet'

/** If a server does not offer tasks, a tool's demand for them does not count (2025-11-25). */
function needsTask({ hello }: Listable, { execution }: ListedTool): boolean {
  return (
    isObject(execution) &&
    execution['taskSupport'] === 'required' &&
    hello.capabilities['tasks'] !== undefined
  )
}

/** Arguments travel as headers only there, so a wrong declaration can do harm only there. */
function needsHeaders({ hello, wire }: Listable): boolean {
  return hello.era === 'modern' && wire === 'http'
}
