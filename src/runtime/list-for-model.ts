/**
 * list-for-model: the resources or prompts of the servers, in pages of text.
 *
 * in     what is known of each server; which server, and where to continue
 * out    a page of limited size: whole URIs and names, the rest shortened; for a server with nothing to show, why
 * never  asks a server; cuts a value that a model has to send back
 */
import { findNearest } from '../base/edit-distance.ts'
import { isObject } from '../base/is-object.ts'
import type { Result } from '../model/message.ts'
import type { Listed, ListKind } from '../model/offering.ts'
import { fail, say } from './read-for-model.ts'
import type { KnownServer } from './standing.ts'

export interface PageRequest {
  readonly server: unknown
  readonly cursor: unknown
}

interface Kind {
  readonly tool: string
  readonly what: 'resources' | 'prompts'
  readonly lists: readonly ListKind[]
  /** One text for each item, perhaps of several lines. */
  itemsOf(server: KnownServer): readonly string[]
}

export function listResources(servers: readonly KnownServer[], request: PageRequest): Result {
  return list(servers, request, {
    tool: 'listMcpResources',
    what: 'resources',
    lists: ['resource', 'resource-template'],
    itemsOf: ({ offering }) => [
      ...(offering?.resources ?? []).map((one) => showResource('', one['uri'], one)),
      ...(offering?.resourceTemplates ?? []).map((one) => showResource('template ', one['uriTemplate'], one)),
    ],
  })
}

export function listPrompts(servers: readonly KnownServer[], request: PageRequest): Result {
  return list(servers, request, {
    tool: 'listMcpPrompts',
    what: 'prompts',
    lists: ['prompt'],
    itemsOf: ({ offering }) => (offering?.prompts ?? []).map(showPrompt),
  })
}

function list(servers: readonly KnownServer[], { server, cursor }: PageRequest, kind: Kind): Result {
  const names = servers.map(({ name }) => name)
  if (typeof server === 'string' && !names.includes(server)) return fail(unknownServer(server, names))
  const from = cursor === undefined ? { server: '', at: 0 } : parseCursor(cursor)
  if (from === undefined)
    return fail(`this is no cursor of ${kind.tool}: repeat what the page before said at its end`)
  const chosen = servers.filter(({ name }) => server === undefined || name === server)
  const sections = chosen
    .filter(({ name }) => name >= from.server)
    .map((one) => toSection(one, kind, server === undefined ? 'all' : 'one'))
  const { lines, next } = takePage(sections, from)
  if (lines.length === 0)
    return text(cursor === undefined ? `No MCP server has ${kind.what}.` : 'There are no more.')
  if (next === undefined) return text(lines.join('\n'))
  const again = typeof server === 'string' ? `server ${JSON.stringify(server)} and ` : ''
  return text(
    [...lines, '', `There are more: call ${kind.tool} with ${again}cursor ${JSON.stringify(next)}.`].join(
      '\n',
    ),
  )
}

function text(words: string): Result {
  return { content: [say(words)] }
}

function unknownServer(name: string, names: readonly string[]): string {
  const nearest = findNearest(name, names)
  const guess = nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
  const all = names.length === 0 ? 'There are none.' : `There are: ${names.map(quote).join(', ')}.`
  return `no MCP server is named ${JSON.stringify(name.slice(0, 100))}.${guess} ${all}`
}

function quote(name: string): string {
  return JSON.stringify(name)
}

interface Section {
  readonly server: string
  readonly items: readonly string[]
  /** Notes about the server, shown with its items. */
  readonly notes: readonly string[]
}

/** A server that is ready and has nothing is mentioned only when the model asked for that server. */
function toSection(server: KnownServer, kind: Kind, asked: 'one' | 'all'): Section {
  const { name, offering, connection } = server
  const isAway = connection.state === 'failed' || connection.state === 'needs-auth'
  const items = isAway ? [] : kind.itemsOf(server)
  const unlisted = (offering?.unlisted ?? []).some((one) => kind.lists.includes(one))
  const notes = [
    ...stateNotes(server, kind),
    ...(unlisted && !isAway ? [`not everything is shown: it could not list its ${kind.what}`] : []),
  ]
  const isEmpty = items.length === 0 && notes.length === 0
  return {
    server: name,
    items,
    notes: isEmpty && asked === 'one' ? [`it has no ${kind.what}`] : notes,
  }
}

function stateNotes({ connection, offering }: KnownServer, { what }: Kind): readonly string[] {
  switch (connection.state) {
    case 'ready':
      return []
    case 'idle':
      return [`not connected, so its ${what} are not known: a call to it connects it`]
    case 'connecting':
    case 'waiting':
      if (offering !== undefined)
        return ['as last seen: it is not connected at the moment, and is tried again']
      if (connection.state === 'connecting')
        return [`still connecting, so its ${what} are not known: ask again in a moment`]
      return [`not connected, and tried again: ${showProblem(connection)}`]
    case 'needs-auth':
    case 'failed':
      return [`not available: ${showProblem(connection)}`]
    case 'closed':
      return ['not connected any more']
  }
}

type Troubled = Extract<KnownServer['connection'], { readonly problem: unknown }>

function showProblem({ problem: { message, hints } }: Troubled): string {
  const [hint] = hints
  return `${shorten(message, 300)}${hint === undefined ? '' : ` (for the user: ${shorten(hint, 200)})`}`
}

/** About five thousand tokens. */
const PAGE_LENGTH = 20_000

interface ListPosition {
  readonly server: string
  readonly at: number
}

/** As many items as fit, but at least one. */
function takePage(
  sections: readonly Section[],
  from: ListPosition,
): { readonly lines: readonly string[]; readonly next?: string } {
  const lines: string[] = []
  let length = 0
  const isFull = (line: string): boolean => length > 0 && length + line.length > PAGE_LENGTH
  const take = (line: string): void => {
    lines.push(line)
    length += line.length + 1
  }
  for (const { server, items, notes } of sections) {
    const start = server === from.server ? from.at : 0
    if (start >= items.length && (start > 0 || notes.length === 0)) continue
    const head = [`## ${showId(server)}`, ...(start === 0 ? notes : ['(continued)'])].join('\n')
    // No heading without an item: the next page would repeat it.
    if (isFull(head + (items[start] ?? ''))) return { lines, next: `${server}:${start}` }
    take(head)
    for (const [index, item] of items.slice(start).entries()) {
      if (index > 0 && isFull(item)) return { lines, next: `${server}:${start + index}` }
      take(item)
    }
  }
  return { lines }
}

function parseCursor(cursor: unknown): ListPosition | undefined {
  if (typeof cursor !== 'string') return undefined
  const [, server, at] = /^([^]*):(\d{1,9})$/.exec(cursor) ?? []
  return server === undefined ? undefined : { server, at: Number(at) }
}

const LENGTHS = { name: 200, description: 300, argument: 150 }

/** A longer text is no address that a model could send back. */
const LONGEST_ID = 4000

const MAX_ARGUMENTS = 50

function showResource(
  mark: string,
  uri: unknown,
  { name, title, mimeType, size, description }: Listed,
): string {
  const label = typeof title === 'string' && title !== '' ? title : name
  const facts = [
    ...(label === uri ? [] : [shorten(label, LENGTHS.name)]),
    ...(typeof mimeType === 'string' ? [shorten(mimeType, LENGTHS.name)] : []),
    ...(typeof size === 'number' ? [`${size} bytes`] : []),
  ]
  const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`
  return `- ${mark}${showId(String(uri))}${about}${showDescription(description, LENGTHS.description)}`
}

function showPrompt(prompt: Listed): string {
  const { name, title, description } = prompt
  const given = prompt['arguments']
  const all = Array.isArray(given) ? given.filter(isObject) : []
  const label =
    typeof title === 'string' && title !== '' && title !== name ? ` (${shorten(title, LENGTHS.name)})` : ''
  return [
    `- ${showId(name)}${label}${showDescription(description, LENGTHS.description)}`,
    ...all.slice(0, MAX_ARGUMENTS).map(showArgument),
    ...(all.length > MAX_ARGUMENTS ? [`  - and ${all.length - MAX_ARGUMENTS} more arguments`] : []),
  ].join('\n')
}

function showArgument({ name, required, description }: Readonly<Record<string, unknown>>): string {
  const must = required === true ? ' (required)' : ''
  return `  - ${shorten(String(name), LENGTHS.name)}${must}${showDescription(description, LENGTHS.argument)}`
}

function showDescription(description: unknown, length: number): string {
  const words = typeof description === 'string' ? shorten(description, length) : ''
  return words === '' ? '' : `: ${words}`
}

/** Unchanged, unless it could be read as more than one line or word. */
function showId(id: string): string {
  if (id.length > LONGEST_ID)
    return `${showId(id.slice(0, 100))}… (${id.length} characters, too long to show)`
  return /^[^\s"`]+$/.test(id) ? id : JSON.stringify(id)
}

function shorten(words: string, length: number): string {
  // Text that is not shown needs no processing.
  const part = words.slice(0, length * 4)
  const line = part.replace(/\s+/g, ' ').trim()
  if (line.length <= length && part === words) return line
  return `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
