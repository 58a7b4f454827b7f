/**
 * view: what a client sees at one endpoint, and where each of it leads.
 *
 * in     the board
 * out    lists as the servers have them, live or remembered; the server behind a name or a URI
 * never  waits for a server where there are others to show
 */
import { isObject } from '../../base/is-object.ts'
import type { Params } from '../../model/message.ts'
import type { Listed, ListKind, Offering } from '../../model/offering.ts'
import type { Board, BoardSnapshot } from '../../runtime/board.ts'
import type { BoardTool } from '../../runtime/tools.ts'
import { STATUS_RESOURCE, STATUS_TOOL } from './status.ts'
import { matchesTemplate } from './template-match.ts'

export interface Listing {
  readonly items: readonly Params[]
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export interface Hello {
  readonly capabilities: Params
  readonly serverInfo: Params
  readonly instructions?: string
}

/** A thing of a server, by the server's own name for it. */
export interface Found {
  readonly server: string
  readonly name: string
}

export interface View {
  /** Undefined: all servers. */
  readonly server: string | undefined
  /** Resolves when there is something to show; rejects with a ProblemError when there will not be. */
  ready(): Promise<void>
  capabilities(): Params
  hello(): Hello
  list(kind: ListKind): Listing
  findTool(name: string): Found | undefined
  findPrompt(name: string): Found | undefined
  /** The servers that may have it, likeliest first. */
  ownersOf(uri: string): readonly string[]
  /** Of a template, as it is listed. */
  ownerOfTemplate(template: string): string | undefined
}

export interface ViewOptions {
  readonly version: string
}

type Server = BoardSnapshot['servers'][number]

/** Under model-facing names. */
export function createAggregate(board: Board, { version }: ViewOptions): View {
  const offering = (): readonly Offered[] => board.snapshot().servers.flatMap(toOffered)
  return {
    server: undefined,
    ready: async () => undefined,
    capabilities: () => ALL,
    hello: () => ({
      capabilities: ALL,
      serverInfo: { name: 'plugboard', title: 'Plugboard', version },
      ...joinInstructions(offering()),
    }),
    list(kind) {
      const all = offering()
      return { items: itemsOf(board, all, kind), ...hintsOf(all, kind) }
    },
    findTool: (name) => toolsOf(board.tools()).get(name),
    findPrompt: (shown) => findPrompt(board, offering(), shown),
    ownersOf: (uri) => ownersOf(offering(), uri),
    ownerOfTemplate: (template) => templateOwner(offering(), template),
  }
}

/** Whatever servers come and go. */
const ALL: Params = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** One server under its own names. */
export function createServerView(board: Board, server: string): View {
  const offered = (): Offering | undefined => board.server(server)?.offering
  const capabilities = (): Params => passable(offered()?.hello.capabilities ?? {})
  return {
    server,
    async ready() {
      if (offered() === undefined) await board.connect(server)
    },
    capabilities,
    hello() {
      const { serverInfo, instructions } = offered()?.hello ?? {}
      return {
        capabilities: capabilities(),
        serverInfo: serverInfo ?? { name: server, version: '' },
        ...(instructions === undefined ? {} : { instructions }),
      }
    },
    list(kind) {
      const here = offered()
      const all = here === undefined ? [] : [{ server, offering: here }]
      return { items: here === undefined ? [] : listOf(here, kind), ...hintsOf(all, kind) }
    },
    findTool: (name) => (offered()?.tools.some((tool) => tool.name === name) ? { server, name } : undefined),
    // What it does not list it may have all the same.
    findPrompt: (name) => ({ server, name }),
    ownersOf: () => [server],
    ownerOfTemplate: () => server,
  }
}

const known = new WeakMap<readonly BoardTool[], ReadonlyMap<string, Found>>()

/** By name. The board gives the same list until it changes. */
function toolsOf(tools: readonly BoardTool[]): ReadonlyMap<string, Found> {
  const made =
    known.get(tools) ?? new Map(tools.map((one) => [one.name, { server: one.server, name: one.tool }]))
  known.set(tools, made)
  return made
}

interface Offered {
  readonly server: string
  readonly offering: Offering
}

function toOffered({ name, offering }: Server): readonly Offered[] {
  return offering === undefined ? [] : [{ server: name, offering }]
}

function listOf(offering: Offering, kind: ListKind): readonly Listed[] {
  switch (kind) {
    case 'tool':
      return offering.tools
    case 'resource':
      return offering.resources
    case 'resource-template':
      return offering.resourceTemplates
    case 'prompt':
      return offering.prompts
  }
}

function itemsOf(board: Board, all: readonly Offered[], kind: ListKind): readonly Params[] {
  switch (kind) {
    case 'tool':
      return [...board.tools().map(({ name, definition }) => ({ ...definition, name })), STATUS_TOOL]
    case 'prompt':
      return all.flatMap(({ server, offering }) =>
        offering.prompts.map((prompt) => ({ ...prompt, name: board.nameFor(server, prompt.name) })),
      )
    case 'resource':
      return [...firstOfEach(all, kind, 'uri'), STATUS_RESOURCE]
    case 'resource-template':
      return firstOfEach(all, kind, 'uriTemplate')
  }
}

/** Two servers may have the same URI; it leads to the first of them. */
function firstOfEach(all: readonly Offered[], kind: ListKind, key: string): readonly Params[] {
  const seen = new Map<unknown, Params>()
  for (const { offering } of all)
    for (const item of listOf(offering, kind)) if (!seen.has(item[key])) seen.set(item[key], item)
  return [...seen.values()]
}

/** As long as the shortest holds, for whom the strictest is. */
function hintsOf(all: readonly Offered[], kind: ListKind): Pick<Listing, 'ttlMs' | 'cacheScope'> {
  const hints = all.map(({ offering }) => offering.caching?.[kind] ?? {})
  const ttls = hints.map(({ ttlMs = 0 }) => ttlMs)
  const isPublic = hints.length > 0 && hints.every(({ cacheScope }) => cacheScope === 'public')
  return { ttlMs: ttls.length === 0 ? 0 : Math.min(...ttls), cacheScope: isPublic ? 'public' : 'private' }
}

function findPrompt(board: Board, all: readonly Offered[], shown: string): Found | undefined {
  const found = all.flatMap(({ server, offering }) =>
    offering.prompts
      .filter(({ name }) => board.nameFor(server, name) === shown)
      .map(({ name }) => ({ server, name })),
  )
  // A look-up that finds two finds none, as for tools.
  return found.length === 1 ? found[0] : undefined
}

function ownersOf(all: readonly Offered[], uri: string): readonly string[] {
  const listed = all.filter(({ offering }) => offering.resources.some((one) => one['uri'] === uri))
  const matching = all.filter(({ offering }) =>
    offering.resourceTemplates.some((one) => matchesTemplate(String(one['uriTemplate']), uri)),
  )
  // A link in a result may lead to what no list has.
  const others = all.filter(({ offering }) => isObject(offering.hello.capabilities['resources']))
  return [...new Set([...listed, ...matching, ...others].map(({ server }) => server))]
}

function templateOwner(all: readonly Offered[], template: string): string | undefined {
  return all.find(({ offering }) => offering.resourceTemplates.some((one) => one['uriTemplate'] === template))
    ?.server
}

function joinInstructions(all: readonly Offered[]): { readonly instructions?: string } {
  const parts = all.flatMap(({ server, offering: { hello } }) =>
    hello.instructions === undefined || hello.instructions.trim() === ''
      ? []
      : [`## ${server}\n\n${hello.instructions.trim()}`],
  )
  return parts.length === 0 ? {} : { instructions: parts.join('\n\n') }
}

/** What is passed on for one server. Changes are told whether or not it does so itself: a reconnect is one, too. */
function passable(capabilities: Params): Params {
  const { tools, resources, prompts, completions, logging } = capabilities
  const changing = (capability: unknown): Params => ({
    ...(isObject(capability) ? capability : {}),
    listChanged: true,
  })
  return {
    ...(tools === undefined ? {} : { tools: changing(tools) }),
    ...(resources === undefined ? {} : { resources: changing(resources) }),
    ...(prompts === undefined ? {} : { prompts: changing(prompts) }),
    ...(completions === undefined ? {} : { completions }),
    ...(logging === undefined ? {} : { logging }),
  }
}
