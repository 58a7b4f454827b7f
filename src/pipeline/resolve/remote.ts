/**
 * remote: fills in an address and the headers for it.
 */
import { Secret } from '../../base/secret.ts'
import {
  mayCarryTokens,
  type HttpTransport,
  type ProxyTransport,
  type WsTransport,
} from '../../model/definition.ts'
import type { LaunchValue } from '../../model/launch.ts'
import type { Authorization } from '../../model/sign-in.ts'
import { tryUrl } from '../../model/signature.ts'
import type { Template } from '../../model/template.ts'
import { findAuthorization, findCredential } from './credential.ts'
import { fill, fillWhole, toLaunchValue } from './fill.ts'
import { putAnyCase, type Job } from './job.ts'
import { badHeader, helperFailed, plainHttp } from './problems.ts'
import { secretsIn, secretsInUrl } from './secrets.ts'
import { hasAnswer } from './value-cache.ts'
import { commandFolder, COMMAND_LIMIT_MS, resolveMap, run } from './values.ts'

export interface Remote {
  readonly url: LaunchValue
  readonly headers: ReadonlyMap<string, LaunchValue>
  readonly authorization?: Authorization
}

export type Headers = Map<string, Secret>

export async function resolveRemote(
  job: Job,
  transport: HttpTransport | WsTransport | ProxyTransport,
): Promise<Remote> {
  const { url, text, login } = resolveUrl(job, transport.url)
  const headers: Headers = new Map()
  if (login !== undefined) putHeader(job, headers, ['Authorization', login])
  if ('headers' in transport) await putConfigured(job, headers, transport)
  if ('headersHelper' in transport)
    await putHelped(job, headers, { helper: transport.headersHelper, url: text })
  if (hasAuthorization(headers) || !mayAsk(job, transport)) return { url, headers }
  if (transport.type !== 'ws' && job.context.credentials?.authorize !== undefined) {
    const authorization = unlessOverheard(job, text, await findAuthorization(job, text))
    return authorization === undefined ? { url, headers } : { url, headers, authorization }
  }
  const token = unlessOverheard(job, text, await findCredential(job, text))
  if (token !== undefined) putHeader(job, headers, ['Authorization', `Bearer ${token.reveal()}`])
  return { url, headers }
}

/** Returns what was found for this server. If others could read it on its way, it reports that and returns nothing. */
function unlessOverheard<T>({ server, problems }: Job, url: string, found: T | undefined): T | undefined {
  if (found === undefined || mayCarryTokens(server.transport, url)) return found
  problems.push(plainHttp(server, url))
  return undefined
}

interface Address {
  readonly url: LaunchValue
  readonly text: string
  /** `Basic …`, for a name and password in the address. */
  readonly login?: string
}

/** Moves a name and password into a header: logs show addresses, but no headers. */
export function resolveUrl(job: Job, template: Template): Address {
  const filled = fill(job, template, { name: 'url' })
  const secrets = secretsInUrl(filled.text)
  job.secrets.push(...secrets)
  const parsed = tryUrl(filled.text)
  if (parsed === undefined || (parsed.username === '' && parsed.password === '')) {
    return { url: toLaunchValue(filled, secrets), text: filled.text }
  }
  const [name, password] = [decode(parsed.username), decode(parsed.password)]
  job.secrets.push(...secretsIn(password))
  parsed.username = ''
  parsed.password = ''
  const url = toLaunchValue({ text: parsed.href, from: filled.from }, secretsInUrl(parsed.href))
  return { url, text: parsed.href, login: `Basic ${toBase64(`${name}:${password}`)}` }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a `%` that escapes nothing
  }
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCodePoint(byte)).join(''))
}

async function putConfigured(
  job: Job,
  headers: Headers,
  transport: HttpTransport | WsTransport,
): Promise<void> {
  for (const [name, { text, gap }] of await resolveMap(job, transport.headers, 'headers')) {
    if (!isHeader(name, text)) job.problems.push(badHeader(job.server, name, 'headers'))
    // A reference without a value is no secret, and hiding it would garble the message about it.
    else if (gap === undefined) putHeader(job, headers, [name, text])
    else putAnyCase(headers, name, new Secret(text))
  }
}

async function putHelped(
  job: Job,
  headers: Headers,
  { helper, url }: { readonly helper: Template | undefined; readonly url: string },
): Promise<void> {
  const command = helper === undefined ? undefined : fillWhole(job, helper, { name: 'headersHelper' })
  if (command === undefined) return
  const { name } = job.server
  const outcome = await run(job, command.text, {
    PLUGBOARD_SERVER_NAME: name,
    PLUGBOARD_SERVER_URL: url,
    // Scripts written for Claude Code read these.
    CLAUDE_CODE_MCP_SERVER_NAME: name,
    CLAUDE_CODE_MCP_SERVER_URL: url,
  })
  const given = hasAnswer(outcome) ? parseHeaders(outcome.stdout) : undefined
  if (given === undefined) {
    job.problems.push(
      helperFailed(job.server, { outcome, cwd: commandFolder(job), limitMs: COMMAND_LIMIT_MS }),
    )
    return
  }
  for (const [header, value] of given) {
    if (isHeader(header, value)) putHeader(job, headers, [header, value])
    else job.problems.push(badHeader(job.server, header, 'headersHelper'))
  }
}

/** Undefined unless it is a JSON object of strings. */
function parseHeaders(text: string): readonly (readonly [string, string])[] | undefined {
  const pairs = Object.entries(tryJsonObject(text) ?? { not: 0 })
  return pairs.every((pair): pair is [string, string] => typeof pair[1] === 'string') ? pairs : undefined
}

function tryJsonObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined // the caller reports it
  }
}

/** Headers whose values hold no secret: hiding `application/json` in every log would make logs hard to read. */
const HARMLESS_HEADERS = /^(?:accept|content-type|user-agent|cache-control)/i

export function putHeader(job: Job, headers: Headers, [name, value]: readonly [string, string]): void {
  if (!HARMLESS_HEADERS.test(name)) job.secrets.push(...secretsIn(value))
  putAnyCase(headers, name, new Secret(value))
}

/** RFC 9110, §5.1 and §5.5. One bad header would fail the whole request. */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}

function hasAuthorization(headers: Headers): boolean {
  return [...headers.keys()].some((name) => name.toLowerCase() === 'authorization')
}

/** OAuth works only over HTTP. There, a server may want a sign-in that its entry does not mention. */
function mayAsk({ server }: Job, transport: HttpTransport | WsTransport | ProxyTransport): boolean {
  if (server.auth !== undefined) return true
  if (transport.type === 'ws') return false
  return !('oauth' in transport) || transport.oauth?.isOff !== true
}
