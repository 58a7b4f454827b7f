/**
 * http-headers: the headers of Streamable HTTP that repeat parts of a message.
 */
import { toHeaderValue } from '../../../model/header-value.ts'
import type { Params, RpcNotification } from '../../../model/message.ts'

const REVISION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** The revision that a message of the modern era names; undefined for the legacy era. */
export function revisionOf(params: Params | undefined): string | undefined {
  const meta = params?.['_meta'] as Params | null | undefined
  const revision = meta?.[REVISION_KEY]
  return typeof revision === 'string' ? revision : undefined
}

const OWN = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/** Name, value, name, value. The server compares them with the body and refuses a message where they differ. */
export function ownHeaders({ method, params }: RpcNotification, revision: string): string[] {
  const headers = [OWN[0], revision, OWN[1], method]
  const key = nameKeyOf(method)
  const name = key === undefined ? undefined : params?.[key]
  if (typeof name === 'string') headers.push(OWN[2], toHeaderValue(name))
  return headers
}

/** The parameter that names the object of the message. */
function nameKeyOf(method: string): string | undefined {
  if (method === 'tools/call' || method === 'prompts/get') return 'name'
  if (method === 'resources/read') return 'uri'
  return method.startsWith('tasks/') ? 'taskId' : undefined
}

export function withoutOwn(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const kept = new Map(headers)
  for (const name of OWN) kept.delete(name)
  return kept
}

/** Adds the headers of a caller. A caller must not change credentials or headers of the protocol. */
export function withExtra(
  list: readonly string[],
  extra: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  if (extra === undefined) return list
  const added = Object.entries(extra).filter(([name]) => isFree(name.toLowerCase()))
  const taken = new Set(added.map(([name]) => name.toLowerCase()))
  const kept = list.filter((_, at) => !taken.has(list[at - (at % 2)]!))
  return [...kept, ...added.flat()]
}

const RESERVED =
  /^(?:authorization|dpop|accept|connection|content-.*|expect|host|keep-alive|transfer-encoding|upgrade)$/

function isFree(name: string): boolean {
  return name.startsWith('mcp-') ? name.startsWith('mcp-param-') : !RESERVED.test(name)
}
