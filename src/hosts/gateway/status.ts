/**
 * status: the state of every server, for clients that ask the gateway itself.
 */
import type { Connection } from '../../model/connection.ts'
import type { Params } from '../../model/message.ts'
import type { Offering } from '../../model/offering.ts'
import type { ServedBoard } from './served-board.ts'

const URI = 'plugboard://status'

export const STATUS_TOOL: Params = {
  name: 'plugboard_status',
  title: 'Status of the connected servers',
  description:
    'Shows for each MCP server behind this gateway whether it is connected, how many tools it has, which of them cannot be used, and what is wrong if it is not.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

export const STATUS_RESOURCE: Params = {
  uri: URI,
  name: 'status',
  title: 'Status of the connected servers',
  mimeType: 'application/json',
}

export function isStatusUri(uri: string): boolean {
  return uri === URI
}

export interface Status {
  readonly servers: readonly ServerStatus[]
  /** The client's folder, if a server is not trusted there. */
  readonly untrustedFolder?: { readonly path: string; readonly note: string; readonly hint: string }
}

export interface ServerStatus {
  readonly name: string
  readonly state: string
  readonly tools: number
  /** Tools that are in no list, with the reason. */
  readonly quarantined?: readonly { readonly name: string; readonly reason: string }[]
  /** When the gateway retries: a time, or a condition. */
  readonly nextTry?: string
  readonly problem?: string
  /** Further facts, and what to do about them. */
  readonly notes?: readonly string[]
  readonly hints?: readonly string[]
}

const ELSEWHERE = { start: 'elsewhere' } as const

export function statusOf(board: ServedBoard): Status {
  const { servers: seen } = board.snapshot()
  const folder = seen.find(({ confinement = ELSEWHERE }) => confinement.start !== 'elsewhere')?.confinement
    ?.folder
  const servers = seen.map(({ name, connection, offering, isAsleep }) => ({
    name,
    // A sleeping server starts with the next request, so it counts as available.
    state: isAsleep === true ? 'idle' : connection.state,
    tools: offering?.tools.length ?? 0,
    ...toQuarantined(offering),
    ...toNextTry(connection),
    ...toReason(connection),
  }))
  return { servers, ...(folder === undefined ? {} : { untrustedFolder: toUntrusted(folder) }) }
}

function toUntrusted(path: string): NonNullable<Status['untrustedFolder']> {
  return {
    path,
    note: 'the user has not trusted this folder, so servers that they configured do not start in it',
    hint: 'if the user trusts it, they can run `plugboard trust folder` there, in a terminal',
  }
}

function toQuarantined(offering: Offering | undefined): Pick<ServerStatus, 'quarantined'> {
  const tools = offering?.quarantined.filter(({ kind }) => kind === 'tool') ?? []
  return tools.length === 0 ? {} : { quarantined: tools.map(({ name, reason }) => ({ name, reason })) }
}

function toNextTry(connection: Connection): Pick<ServerStatus, 'nextTry'> {
  const nextTry = nextTryOf(connection)
  return nextTry === undefined ? {} : { nextTry }
}

function toReason(connection: Connection): Pick<ServerStatus, 'problem' | 'notes' | 'hints'> {
  if (!('problem' in connection)) return {}
  const { message, notes, hints } = connection.problem
  return { problem: message, ...(notes.length > 0 ? { notes } : {}), ...(hints.length > 0 ? { hints } : {}) }
}

/** Undefined when nothing is wrong. */
export function nextTryOf(connection: Connection): string | undefined {
  switch (connection.state) {
    case 'waiting':
      return new Date(connection.retryAt).toISOString()
    case 'failed':
      // No retry before the user decides.
      return connection.problem.code === 'trust/folder' ? undefined : 'with the next call'
    case 'needs-auth':
      return 'when somebody has signed in'
    default:
      return undefined
  }
}

export function statusResult(board: ServedBoard): Params {
  const status = statusOf(board)
  return {
    content: [{ type: 'text', text: JSON.stringify(status, undefined, 2) }],
    structuredContent: status,
  }
}

export function statusContents(board: ServedBoard): Params {
  const text = JSON.stringify(statusOf(board), undefined, 2)
  return { contents: [{ uri: URI, mimeType: 'application/json', text }] }
}
