/**
 * aggregate-view: all servers at one endpoint, under model-facing names. URIs stay unchanged, because links in results
 * contain them.
 */
import { isObject } from '../../base/is-object.ts'
import type { Params } from '../../model/message.ts'
import type { ListKind } from '../../model/offering.ts'
import type { BoardSnapshot } from '../../runtime/board.ts'
import type { BoardTool } from '../../runtime/tools.ts'
import type { Clock } from '../../world/world.ts'
import type { ServedBoard } from './served-board.ts'
import { STATUS_RESOURCE, STATUS_TOOL } from './status.ts'
import { matchesTemplate } from './template-match.ts'
import { hintsOf, listOf, type Found, type Offered, type View } from './view.ts'

export interface ViewOptions {
  readonly version: string
  readonly clock: Clock
}

/**
 * For this long after the gateway starts, a list waits for servers that are connecting for the first time. Later, and
 * for all other servers, the list holds what is known: many clients ask once and do not listen for changes.
 */
const FIRST_MS = 1000

export function createAggregate(board: ServedBoard, { version, clock }: ViewOptions): View {
  const settled = clock.now() + FIRST_MS
  const offering = (): readonly Offered[] => board.snapshot().servers.flatMap(toOffered)
  return {
    server: undefined,
    ready: () => undefined,
    settling: () =>
      clock.now() < settled && isArriving(board) ? untilArrived(board, clock, settled) : undefined,
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
    absentOwners(shown) {
      const absent = board.snapshot().servers.filter(isAbsent)
      return absent.map(({ name }) => name).filter((name) => shown.startsWith(prefixOf(board, name)))
    },
    ownersOf: (uri) => ownersOf(offering(), uri),
    ownerOfTemplate: (template) => templateOwner(offering(), template),
  }
}

function isArriving(board: ServedBoard): boolean {
  return board
    .snapshot()
    .servers.some(({ connection, offering }) => connection.state === 'connecting' && offering === undefined)
}

function untilArrived(board: ServedBoard, clock: Clock, until: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      cancel()
      resolve()
    }
    const stop = board.on('change', () => {
      if (!isArriving(board)) end()
    })
    const cancel = clock.after(until - clock.now(), end)
  })
}

/** The server's tools are hidden or unknown. The client may still mean one of them. */
function isAbsent({ connection: { state }, offering }: Server): boolean {
  return offering === undefined || state === 'failed' || state === 'needs-auth' || state === 'closed'
}

/**
 * The prefix of all model-facing names of a server. A name that needs a hash may cut it, so the prefix may match too
 * much.
 */
function prefixOf(board: ServedBoard, server: string): string {
  return board.nameFor(server, '').replace(/_[0-9a-f]{8}$/, '')
}

/** All capabilities, independent of which servers come and go. */
const ALL: Params = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

const known = new WeakMap<readonly BoardTool[], ReadonlyMap<string, Found>>()

/** Tools by name. The board returns the same list object until it changes. */
function toolsOf(tools: readonly BoardTool[]): ReadonlyMap<string, Found> {
  const made =
    known.get(tools) ?? new Map(tools.map((one) => [one.name, { server: one.server, name: one.tool }]))
  known.set(tools, made)
  return made
}

type Server = BoardSnapshot['servers'][number]

function toOffered({ name, offering }: Server): readonly Offered[] {
  return offering === undefined ? [] : [{ server: name, offering }]
}

function itemsOf(board: ServedBoard, all: readonly Offered[], kind: ListKind): readonly Params[] {
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

function findPrompt(board: ServedBoard, all: readonly Offered[], shown: string): Found | undefined {
  const found = all.flatMap(({ server, offering }) =>
    offering.prompts
      .filter(({ name }) => board.nameFor(server, name) === shown)
      .map(({ name }) => ({ server, name })),
  )
  // Two matches count as none, as for tools.
  return found.length === 1 ? found[0] : undefined
}

function ownersOf(all: readonly Offered[], uri: string): readonly string[] {
  const listed = all.filter(({ offering }) => offering.resources.some((one) => one['uri'] === uri))
  const matching = all.filter(({ offering }) =>
    offering.resourceTemplates.some((one) => matchesTemplate(String(one['uriTemplate']), uri)),
  )
  // A link in a result may lead to a resource that is in no list.
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
