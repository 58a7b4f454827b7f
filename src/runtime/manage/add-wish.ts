/**
 * add-wish: a server as the user describes it → its entry, in the fields of our own files.
 *
 * in     the arguments, as `claude mcp add` takes them; or the answers of a wizard
 * out    a plain object; it is checked when it is read as an entry
 * never  reads anything else; replaces a reference by its value
 */
import { ProblemError } from '../../problem/problem.ts'
import type { JsonObject } from '../definition-json.ts'
import {
  commandAndUrl,
  notForCommand,
  notForUrl,
  noSignIn,
  nothingToAdd,
  secretWithoutClient,
  tokenAndHeader,
  tokenWithoutUrl,
  transportMismatch,
  unknownScheme,
} from './add-problems.ts'

export const TRANSPORTS = ['stdio', 'http', 'sse', 'ws'] as const

export type TransportChoice = (typeof TRANSPORTS)[number]

export interface AddRequest {
  /** The command and its arguments. */
  readonly command: readonly string[]
  readonly url?: string | undefined
  /** Default: by the other fields. An address without it uses whatever transport the server speaks. */
  readonly transport?: TransportChoice | undefined
  readonly env: readonly Pair[]
  readonly headers: readonly Pair[]
  /** Sent as a bearer token. */
  readonly token?: string | undefined
  readonly cwd?: string | undefined
  /** A client that is registered with the server's authorization server. */
  readonly oauth?: ClientOptions | undefined
}

export interface ClientOptions {
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  readonly callbackPort?: number | undefined
}

export type Pair = readonly [name: string, value: string]

/** Throws `manage/…` when two options exclude each other, or when the command and the address are both missing. */
export function toEntry(wish: AddRequest): JsonObject {
  const { command, url, transport } = wish
  if (url !== undefined && command.length > 0) throw new ProblemError(commandAndUrl)
  if (wish.token !== undefined && url === undefined) throw new ProblemError(tokenWithoutUrl)
  if (url !== undefined) return toRemote(url, wish)
  if (command.length === 0) throw new ProblemError(nothingToAdd)
  if (transport !== undefined && transport !== 'stdio')
    throw new ProblemError(transportMismatch(transport, command[0]!))
  return toLocal(wish)
}

/** Whether a word is an address and no program. */
export function isAddress(word: string): boolean {
  return /^(?:https?|wss?):\/\//i.test(word)
}

function toLocal({ command, env, headers, cwd, oauth }: AddRequest): JsonObject {
  const [program, ...args] = command
  // A typing error in an address; no program has such a name.
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(program!)?.[0]
  if (scheme !== undefined) throw new ProblemError(unknownScheme(scheme))
  if (headers.length > 0) throw new ProblemError(notForCommand('header'))
  if (oauth !== undefined) throw new ProblemError(notForCommand(flagOf(oauth)))
  return {
    type: 'stdio',
    command: program!,
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0 ? {} : { env: toObject(env) }),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function toRemote(url: string, wish: AddRequest): JsonObject {
  const { transport, env, headers, token, cwd, oauth } = wish
  if (transport === 'stdio') throw new ProblemError(transportMismatch('stdio', url))
  if (env.length > 0) throw new ProblemError(notForUrl('env'))
  if (cwd !== undefined) throw new ProblemError(notForUrl('cwd'))
  const isTaken = headers.some(([name]) => name.toLowerCase() === 'authorization')
  if (token !== undefined && isTaken) throw new ProblemError(tokenAndHeader)
  const sent: readonly Pair[] =
    token === undefined ? headers : [...headers, ['Authorization', `Bearer ${token}`]]
  const type = transport ?? (/^wss?:/i.test(url) ? 'ws' : undefined)
  if (oauth !== undefined && type === 'ws') throw new ProblemError(noSignIn(flagOf(oauth)))
  return {
    ...(type === undefined ? {} : { type }),
    url,
    ...(sent.length === 0 ? {} : { headers: toObject(sent) }),
    ...(oauth === undefined ? {} : { oauth: toClient(oauth) }),
  }
}

function toClient({ clientId, clientSecret, callbackPort }: ClientOptions): JsonObject {
  if (clientSecret !== undefined && clientId === undefined) throw new ProblemError(secretWithoutClient)
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
  }
}

/** The flag that the user typed, or the first of several. */
function flagOf({ clientId, clientSecret }: ClientOptions): string {
  if (clientId !== undefined) return 'client-id'
  return clientSecret !== undefined ? 'client-secret' : 'callback-port'
}

/** Of pairs with the same name, the last one counts. Any name is an ordinary key, `__proto__` too. */
function toObject(pairs: readonly Pair[]): JsonObject {
  return Object.fromEntries(pairs)
}
