/**
 * status: how every server is, for whoever asks the gateway itself.
 */
import type { Params } from '../../model/message.ts'
import type { ServedBoard } from './served-board.ts'

const URI = 'plugboard://status'

export const STATUS_TOOL: Params = {
  name: 'plugboard_status',
  title: 'Status of the connected servers',
  description:
    'Shows for each MCP server behind this gateway whether it is connected, how many tools it has, and what is wrong if it is not.',
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
}

export interface ServerStatus {
  readonly name: string
  readonly state: string
  readonly tools: number
  /** When it is tried again. */
  readonly nextTry?: string
  readonly problem?: string
}

export function statusOf(board: ServedBoard): Status {
  const servers = board.snapshot().servers.map(({ name, connection, offering }) => ({
    name,
    state: connection.state,
    tools: offering?.tools.length ?? 0,
    ...('retryAt' in connection ? { nextTry: new Date(connection.retryAt).toISOString() } : {}),
    ...('problem' in connection ? { problem: connection.problem.message } : {}),
  }))
  return { servers }
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
