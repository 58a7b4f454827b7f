/**
 * era: everything that differs between protocol revisions, in one place: the era of a request, the required metadata,
 * the form of its result.
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

/**
 * A request that claims a revision for itself is modern, whatever its method is. `header` is the revision in the HTTP
 * header.
 */
export function eraOf(params: Params | undefined, header?: string): Era {
  if (metaOf(params)[META.version] !== undefined) return 'modern'
  const isLegacy = header === undefined || LEGACY_VERSIONS.some((known) => known === header)
  return isLegacy ? 'legacy' : 'modern'
}

/** Throws the error that the revision defines for requests without the required metadata. */
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

/** Methods whose results say how long they stay valid. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

/** Converts a result to the era of the caller. All other fields stay. */
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

/** Converts an error to the era of the caller. */
export function errorToEra(era: Era, error: RpcError, params: Params): RpcError {
  if (era === 'legacy' || error.code !== RPC_CODES.resourceNotFound) return error
  const data = { uri: params['uri'], ...(isObject(error.data) ? error.data : {}) }
  return { ...error, code: RPC_CODES.invalidParams, data }
}

/**
 * The part of `_meta` that goes on to a server. For a modern server it also describes the sender; a legacy server gets
 * no such fields.
 */
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
