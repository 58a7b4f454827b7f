/**
 * definition: one server as a checked value, whatever file format it came from.
 */
import { isConfidential } from '../base/confidential.ts'
import type { Template } from './template.ts'

export interface ServerDefinition {
  readonly name: string
  readonly transport: Transport
  /** Idle limit of a request; 0: no limit. Absent: the default. */
  readonly timeoutMs?: number
  /** Total limit of a request, with or without progress; 0: no limit. Absent: the default. */
  readonly maxDurationMs?: number
  /** Limit for connect and list; 0: no limit. */
  readonly startupTimeoutMs?: number
  readonly required?: boolean
  readonly auth?: Auth
  /** Names or globs of the raw tool names. Absent: all. */
  readonly includeTools?: readonly string[]
  readonly excludeTools?: readonly string[]
  readonly description?: string
  readonly protocol?: 'auto' | 'legacy' | '2026-07-28'
  readonly inheritEnv?: boolean
  readonly supportsParallelCalls?: boolean
  readonly isolation?: 'shared' | 'session' | 'agent' | 'project'
  /** `resolvable`: a value may be `!cmd` or the name of a variable (plugboard, xcsh, oh-my-pi). */
  readonly values: 'resolvable' | 'literal'
}

export type Transport =
  | StdioTransport
  | HttpTransport
  | WsTransport
  | IdeTransport
  | SdkTransport
  | ProxyTransport

export type TransportType = Transport['type']

export interface StdioTransport {
  readonly type: 'stdio'
  readonly command: Template
  readonly args: readonly Template[]
  readonly env: TemplateMap
  readonly envFile?: Template
  readonly cwd?: Template
}

export interface HttpTransport {
  readonly type: 'http' | 'sse'
  readonly url: Template
  readonly headers: TemplateMap
  /** A command that prints a JSON object of headers. */
  readonly headersHelper?: Template
  readonly oauth?: OAuth
  /** `sse` when the entry did not say its type: connect may fall back as the specification describes. */
  readonly fallback: 'sse' | 'none'
}

export interface WsTransport {
  readonly type: 'ws'
  readonly url: Template
  readonly headers: TemplateMap
  readonly headersHelper?: Template
}

export interface IdeTransport {
  readonly type: 'sse-ide' | 'ws-ide'
  readonly url: Template
  readonly ideName: string
  readonly authToken?: Template
  readonly ideRunningInWindows?: boolean
}

export interface SdkTransport {
  readonly type: 'sdk'
  /** The in-process server registered under this name through the library. */
  readonly sdkName: string
}

export interface ProxyTransport {
  readonly type: 'claudeai-proxy'
  readonly url: Template
  readonly id: string
}

/** In the order written. A map, so that `__proto__` is a name like any other. */
export type TemplateMap = ReadonlyMap<string, Template>

export interface OAuth {
  readonly clientId?: Template
  readonly clientSecret?: Template
  readonly scopes?: readonly string[]
  readonly callbackPort?: number
  readonly callbackPath?: string
  readonly redirectUri?: string
  readonly authServerMetadataUrl?: string
  readonly authorizationUrl?: string
  readonly tokenUrl?: string
  readonly resource?: string
  /** The only authorization server that may get the client's secrets. */
  readonly issuer?: string
  /** The address of a Client ID Metadata Document. It is also the client's id. */
  readonly clientMetadataUrl?: string
  readonly grantType?: GrantType
  readonly prompt?: string
  /** PEM (PKCS #8). The client signs with it instead of sending a secret. */
  readonly privateKey?: Template
  readonly privateKeyFile?: Template
  /** The algorithm of the private key. Absent: `ES256`. */
  readonly signingAlgorithm?: string
  /** For `jwt_bearer`: the token with which another issuer vouches for this machine. Read again each time. */
  readonly assertion?: Template
  readonly assertionFile?: Template
  /**
   * For `enterprise_managed`: the ID token of the company's identity provider about its user, and that provider's
   * address.
   */
  readonly idToken?: Template
  readonly idTokenFile?: Template
  readonly idpIssuer?: string
  readonly idpTokenUrl?: string
  readonly idpClientId?: Template
  readonly idpClientSecret?: Template
  /** Secrets may be sent to other machines over plain HTTP. */
  readonly dangerouslyAllowHttp?: boolean
  /** The file forbids OAuth. */
  readonly isOff?: boolean
}

/** Whether the entry itself sets a token: then no other token is sent. */
export function hasOwnAuthorization(transport: Transport): boolean {
  if (!('headers' in transport)) return false
  return [...transport.headers.keys()].some((name) => name.toLowerCase() === 'authorization')
}

/** Whether a token may be sent to this address: the connection is safe, or the entry allows an unsafe one. */
export function mayCarryTokens(transport: Transport, url: string): boolean {
  return allowsPlainHttp(transport) || (URL.canParse(url) && isConfidential(new URL(url)))
}

/** The field has a name that a user does not type by accident. */
export function allowsPlainHttp(transport: Transport): boolean {
  return 'oauth' in transport && transport.oauth?.dangerouslyAllowHttp === true
}

export const GRANT_TYPES = [
  'authorization_code',
  'device_code',
  'client_credentials',
  'jwt_bearer',
  'enterprise_managed',
] as const

export type GrantType = (typeof GRANT_TYPES)[number]

export interface Auth {
  readonly type: 'oauth' | 'apikey'
  readonly credentialId?: string
  readonly tokenUrl?: string
  readonly clientId?: Template
  readonly clientSecret?: Template
  readonly resource?: string
}
