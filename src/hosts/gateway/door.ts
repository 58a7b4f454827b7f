/**
 * door: who may ask the gateway anything, decided by the head of a request alone.
 *
 * in     address, headers, the token
 * out    nothing, or the refusal
 * never  looks at a request that a web page of somebody else could have sent (DNS rebinding); tells how close a token was
 */
import { isSameSecret } from '../../base/same-secret.ts'
import type { RequestHead, WholeReply } from '../../world/world.ts'

export interface DoorOptions {
  /** What a client must show. Undefined only where somebody else stands at the door. */
  readonly token: string | undefined
  /** Names this gateway is known by, besides those of this machine. */
  readonly hosts?: readonly string[] | undefined
}

/** Path → what is asked for. */
export type Target =
  | { readonly kind: 'mcp'; readonly server: string | undefined }
  | { readonly kind: 'health' }

export function refuse(head: RequestHead, { token, hosts = [] }: DoorOptions): WholeReply | undefined {
  const known = [...LOOPBACK, ...hosts]
  if (!known.includes(hostOf(textOf(head.headers['host'])))) return say(403, 'This host is not served here.')
  const origin = textOf(head.headers['origin'])
  if (origin !== undefined && !known.includes(hostOfOrigin(origin)))
    return say(403, 'This origin may not ask.')
  const target = findTarget(head.path)
  if (target === undefined) return say(404, 'There is nothing here; try /mcp.')
  if (target.kind === 'health' || token === undefined) return undefined
  const given = /^Bearer +(\S+)$/i.exec(textOf(head.headers['authorization']) ?? '')?.[1] ?? ''
  if (isSameSecret(given, token)) return undefined
  return { ...say(401, 'A token is needed.'), headers: { ...TEXT, 'www-authenticate': 'Bearer' } }
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const TEXT = { 'content-type': 'text/plain; charset=utf-8' }

export function say(status: number, text: string): WholeReply {
  return { status, headers: TEXT, body: `${text}\n` }
}

export function findTarget(path: string): Target | undefined {
  const [plain] = path.split('?')
  if (plain === '/mcp' || plain === '/mcp/') return { kind: 'mcp', server: undefined }
  if (plain === '/healthz' || plain === '/readyz') return { kind: 'health' }
  const name = /^\/mcp\/([^/]+)$/.exec(plain!)?.[1]
  const server = name === undefined ? undefined : tryDecode(name)
  return server === undefined ? undefined : { kind: 'mcp', server }
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // not the name of anything
  }
}

export function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}

/** Without the port. */
function hostOf(host: string | undefined): string {
  return (host ?? '').toLowerCase().replace(/:\d*$/, '')
}

function hostOfOrigin(origin: string): string {
  return hostOf(/^https?:\/\/([^/]+)$/i.exec(origin)?.[1])
}
