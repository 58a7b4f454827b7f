/**
 * era: what differs between the revisions, in one place: which one a request belongs to, what it must carry, what its
 * result must have.
 */
import { isObject } from '../../base/is-object.ts'
import { RPC_CODES, type Params, type Result, type RpcError } from '../../model/message.ts'
import { LEGACY_VERSIONS, MODERN_VERSION, type Era } from '../../model/session.ts'
import { FrontFault } from './fault.ts'

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  info: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const

/** What every modern request says of its sender. */
export interface Envelope {
  readonly capabilities: Params
  readonly info?: Params
  readonly logLevel?: string
}

const NO_META: Params = {}

export function metaOf(params: Params | undefined): Params {
  const meta = params?.['_meta']
  return isObject(meta) ? meta : NO_META
}

/** A request that claims a revision for itself is modern, whatever it asks for; `header` is what HTTP says beside it. */
export function eraOf(params: Params | undefined, header?: string): Era {
  if (metaOf(params)[META.version] !== undefined) return 'modern'
  const isLegacy = header === undefined || LEGACY_VERSIONS.some((known) => known === header)
  return isLegacy ? 'legacy' : 'modern'
}

/** Throws what the revision has for requests that do not say what they must. */
export function readEnvelope(params: Params | undefined): Envelope {
  const meta = metaOf(params)
  const { [META.version]: version, [META.capabilities]: capabilities } = meta
  if (typeof version !== 'string') throw missing(META.version)
  if (version !== MODERN_VERSION) throw unsupportedVersion(version)
  if (!isObject(capabilities)) throw missing(META.capabilities)
  const { [META.info]: info, [META.logLevel]: logLevel } = meta
  return {
    capabilities,
    ...(isObject(info) ? { info } : {}),
    ...(typeof logLevel === 'string' ? { logLevel } : {}),
  }
}

function missing(key: string): FrontFault {
  return new FrontFault(400, { code: RPC_CODES.invalidParams, message: `\`_meta\` must have \`${key}\`` })
}

function unsupportedVersion(requested: string): FrontFault {
  return new FrontFault(400, {
    code: RPC_CODES.unsupportedVersion,
    message: `revision ${JSON.stringify(requested)} is not one that is spoken here`,
    data: { supported: [MODERN_VERSION], requested },
  })
}

/** Results that say how long they hold. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

/** A result as the era of the caller has it. Whatever else is in it stays. */
export function toEra(era: Era, method: string, result: Result): Result {
  if (era === 'legacy') {
    if (result['resultType'] === undefined) return result
    const { resultType: _, ...rest } = result
    return rest
  }
  const isKnown = result['resultType'] !== undefined
  if (!CACHEABLE.has(method)) return isKnown ? result : { resultType: 'complete', ...result }
  return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result }
}

/** An error as the era of the caller has it. */
export function errorToEra(era: Era, error: RpcError, params: Params): RpcError {
  if (era === 'legacy' || error.code !== RPC_CODES.resourceNotFound) return error
  const data = { uri: params['uri'], ...(isObject(error.data) ? error.data : {}) }
  return { ...error, code: RPC_CODES.invalidParams, data }
}

/** What of `_meta` goes on to a server: to a modern one who asks, to a legacy one nothing of the kind. */
export function metaFor(
  era: Era,
  meta: Params,
  sender: {
    readonly capabilities: Params
    readonly info?: Params | undefined
    readonly logLevel?: string | undefined
  },
): Params {
  const kept = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !OURS.has(key))
  const rest = kept.length === 0 ? NO_META : Object.fromEntries(kept)
  if (era === 'legacy') return rest
  const { capabilities, info, logLevel } = sender
  return {
    ...rest,
    [META.capabilities]: capabilities,
    ...(info === undefined ? {} : { [META.info]: info }),
    ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
  }
}

const OURS: ReadonlySet<string> = new Set([META.version, META.info, META.capabilities, META.logLevel])
