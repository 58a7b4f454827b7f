/**
 * list: everything a server has to offer.
 *
 * in     a session, how long each list may take
 * out    an Offering: the tools, resources, templates and prompts that can be used, and why the others cannot
 * never  asks for what the server does not advertise; drops an item without a reason; lets one bad item or one
 *        broken list hide the tools
 */
import type { ListedTool, ListKind, Offering } from '../../model/offering.ts'
import type { Problem } from '../../model/problem.ts'
import { SessionError, type Session } from '../../model/session.ts'
import { judge, type Judgement } from './judge.ts'
import { mergeHints, readPages, type CacheHints, type ListOptions, type ListSource } from './pages.ts'
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

/** Rejects with a SessionError or a ListError when the tools cannot be listed, and when aborted. */
export async function list(session: Session, options: ListOptions): Promise<Offering> {
  const rest = new AbortController()
  const signal = options.signal === undefined ? rest.signal : AbortSignal.any([options.signal, rest.signal])
  const limits = { ...options, signal }
  try {
    const [tools, resources, templates, prompts] = await Promise.all([
      readList(session, 'tool', limits),
      readSideList(session, 'resource', limits),
      readSideList(session, 'resource-template', limits),
      readSideList(session, 'prompt', limits),
    ])
    const all = [tools, resources, templates, prompts]
    return {
      hello: session.hello,
      tools: tools.kept as readonly ListedTool[],
      resources: resources.kept,
      resourceTemplates: templates.kept,
      prompts: prompts.kept,
      quarantined: all.flatMap(({ quarantined }) => quarantined),
      problems: all.flatMap(({ problem }) => problem ?? []),
      // Lists that were not asked for say nothing about the others.
      ...mergeHints(all.filter((one) => one !== NOTHING)),
    }
  } finally {
    // Without tools there is no offering, and nobody waits for the other lists any more.
    rest.abort()
  }
}

type ReadList = Judgement & CacheHints & { readonly problem?: Problem }

async function readList(session: Session, kind: ListKind, options: ListOptions): Promise<ReadList> {
  const source = SOURCES[kind]
  const advertised = session.hello.capabilities[source.capability] ?? false
  if (advertised === false) return NOTHING
  const { items, ...hints } = await readPages(session, source, options)
  const findFault = kind === 'tool' && needsHeaders(session) ? findHeaderFault : undefined
  return { ...judge(kind, items, findFault), ...hints }
}

/** A list beside the tools: when it fails, it is empty and says why. */
async function readSideList(session: Session, kind: ListKind, options: ListOptions): Promise<ReadList> {
  try {
    return await readList(session, kind, options)
  } catch (error) {
    if (error instanceof ListError) return { ...NOTHING, problem: { ...error.problem, severity: 'warning' } }
    if (!(error instanceof SessionError) || error.failure.kind === 'aborted') throw error
    return { ...NOTHING, problem: unlistable(SOURCES[kind].what, error) }
  }
}

const NOTHING: ReadList = { kept: [], quarantined: [] }

/** Only there do arguments travel as headers, so only there can a wrong declaration do harm. */
function needsHeaders({ hello, wire }: Session): boolean {
  return hello.era === 'modern' && wire === 'http'
}
