/**
 * network: explains in words why a connection failed or broke.
 *
 * in     the code from the system, the TLS library or undici, and the address
 * out    what it means, as a clause that says where
 */
export interface NetworkFailure {
  /** `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
  readonly code: string
  /** The message of the library that found the fault. */
  readonly message: string
  /** The host of the server, with the port where it is not the usual one. */
  readonly host?: string
  /** The proxy on the way. It is at fault when it could not be reached or refused, and the server did not. */
  readonly via?: ViaProxy & { readonly isAtFault: boolean }
}

/**
 * The code for a token that expired while no new one could be fetched. The server carried out nothing of what was sent.
 */
export const NOT_RENEWED = 'NOT_RENEWED'

export interface ViaProxy {
  /** `http://proxy.corp:3128`, without name and password. */
  readonly proxy: string
  /** The variable of the environment that names it. */
  readonly variable: string
}

export type NetworkFault =
  | 'refused'
  | 'not-found'
  | 'no-dns'
  | 'broken-off'
  | 'silent'
  | 'no-route'
  | 'self-signed'
  | 'unknown-issuer'
  | 'expired'
  | 'not-yet-valid'
  | 'other-host'
  | 'no-tls'
  | 'no-http'
  | 'bad-tls'
  | 'not-renewed'
  | 'proxy-refused'
  | 'proxy-wants-login'
  | 'proxy-unusable'

const FAULTS: Readonly<Record<string, NetworkFault>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'not-found',
  EAI_AGAIN: 'no-dns',
  ECONNRESET: 'broken-off',
  ECONNABORTED: 'broken-off',
  EPIPE: 'broken-off',
  UND_ERR_SOCKET: 'broken-off',
  ETIMEDOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'unknown-issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknown-issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknown-issuer',
  CERT_UNTRUSTED: 'unknown-issuer',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other-host',
  // A client that expects TLS sees a response in plain text like this.
  ERR_SSL_WRONG_VERSION_NUMBER: 'no-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no-tls',
  ERR_SSL_RECORD_LAYER_FAILURE: 'no-tls',
  [NOT_RENEWED]: 'not-renewed',
  PROXY_REFUSED: 'proxy-refused',
  PROXY_UNUSABLE: 'proxy-unusable',
}

/** Undefined: there are no words for this code yet. */
export function faultOf({ code, message }: NetworkFailure): NetworkFault | undefined {
  if (code === 'PROXY_REFUSED' && message.includes('407')) return 'proxy-wants-login'
  const known = FAULTS[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) return 'no-http'
  return /^(?:ERR_SSL_|ERR_TLS_|CERT_)/.test(code) ? 'bad-tls' : undefined
}

type Say = (who: string, message: string) => string

const WORDS: Readonly<Record<NetworkFault, Say>> = {
  refused: (who) => `nobody answers at ${who} (connection refused)`,
  'not-found': (who) => `${who} is not found: there is no host of that name`,
  'no-dns': (who) => `the name of ${who} could not be looked up`,
  'broken-off': (who) => `${who} broke off the connection`,
  silent: (who) => `${who} does not answer`,
  'no-route': (who) => `there is no way from here to ${who}`,
  'self-signed': (who) => `the certificate of ${who} is self-signed`,
  'unknown-issuer': (who) => `the certificate of ${who} comes from an issuer that this machine does not know`,
  expired: (who) => `the certificate of ${who} has expired`,
  'not-yet-valid': (who) => `the certificate of ${who} is not valid yet`,
  'other-host': (who) => `the certificate of ${who} is for another host`,
  'no-tls': (who) => `${who} does not speak TLS`,
  'no-http': (who) => `${who} does not speak HTTP`,
  'bad-tls': (who, message) => `there is no secure connection to ${who}: ${message}`,
  'not-renewed': (who, message) => `the sign-in has to be renewed, and ${who} could not be asked: ${message}`,
  'proxy-refused': (who, message) => `${who} refused to connect us: ${message}`,
  'proxy-wants-login': (who) => `${who} wants a name and password (HTTP 407)`,
  'proxy-unusable': (who, message) => `${who} cannot be used: ${message}`,
}

export function describeNetwork(failure: NetworkFailure): string {
  const { message, host, via } = failure
  const fault = faultOf(failure)
  const who = via?.isAtFault === true ? nameProxy(via) : host === undefined ? 'the host' : `\`${host}\``
  if (fault !== undefined) return WORDS[fault](who, message)
  return via?.isAtFault === true ? `${who} failed: ${message}` : message
}

/**
 * Like `describeNetwork`, for what `world.web` throws: its cause is the failure. Any other error keeps its own message.
 */
export function describeWebError(error: unknown, url: string): string {
  const cause = error instanceof Error ? (error.cause as Partial<NetworkFailure> | undefined) : undefined
  if (typeof cause?.code !== 'string') return error instanceof Error ? error.message : String(error)
  const { code, message = code, via } = cause
  const host = URL.canParse(url) ? { host: new URL(url).host } : {}
  return describeNetwork({ code, message, ...host, ...(via === undefined ? {} : { via }) })
}

/** Without its name and password. */
export function nameProxy({ proxy, variable }: ViaProxy): string {
  return proxy === '' ? `the proxy in \`${variable}\`` : `the proxy \`${proxy}\` (\`${variable}\`)`
}

const NEVER_MADE: ReadonlySet<NetworkFault | undefined> = new Set([
  'refused',
  'not-found',
  'no-dns',
  'no-route',
  'self-signed',
  'unknown-issuer',
  'expired',
  'not-yet-valid',
  'other-host',
  'no-tls',
  'not-renewed',
  'proxy-refused',
  'proxy-wants-login',
  'proxy-unusable',
])

/** Whether no connection was made at all, so that nothing can have been sent. */
export function wasNeverMade(failure: NetworkFailure): boolean {
  return NEVER_MADE.has(faultOf(failure)) || failure.code === 'UND_ERR_CONNECT_TIMEOUT'
}

/** Certificates do not become valid by waiting. */
const LASTING: ReadonlySet<NetworkFault | undefined> = new Set([
  'self-signed',
  'unknown-issuer',
  'expired',
  'other-host',
  'no-tls',
  'proxy-wants-login',
  'proxy-unusable',
])

/** Whether only a person can fix it, and waiting cannot. */
export function isLasting(failure: NetworkFailure): boolean {
  return LASTING.has(faultOf(failure))
}
