/**
 * facts: what a definition says, field by field.
 *
 * in     a definition, and whether it is turned off
 * out    its fields by their names in our own files, only those that say something
 * never  lists what a reader assumes anyway: an empty map, a server that is on
 */
import type { Auth, OAuth, ServerDefinition, TemplateMap, Transport } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'

type FactKind = keyof Shapes

interface Shapes {
  readonly template: Template
  readonly templates: readonly Template[]
  readonly map: TemplateMap
  readonly words: readonly string[]
  readonly ms: number
  readonly plain: string | number | boolean
}

/** The kind of value of each field. The compiler requires every new field of the definition here. */
const OAUTH_KINDS = {
  clientId: 'template',
  clientSecret: 'template',
  scopes: 'words',
  callbackPort: 'plain',
  callbackPath: 'plain',
  redirectUri: 'plain',
  authServerMetadataUrl: 'plain',
  authorizationUrl: 'plain',
  tokenUrl: 'plain',
  resource: 'plain',
  issuer: 'plain',
  clientMetadataUrl: 'plain',
  grantType: 'plain',
  prompt: 'plain',
  privateKey: 'template',
  privateKeyFile: 'template',
  signingAlgorithm: 'plain',
  assertion: 'template',
  assertionFile: 'template',
  idToken: 'template',
  idTokenFile: 'template',
  idpIssuer: 'plain',
  idpTokenUrl: 'plain',
  idpClientId: 'template',
  idpClientSecret: 'template',
  dangerouslyAllowHttp: 'plain',
} as const satisfies Record<Exclude<keyof OAuth, 'isOff'>, FactKind>

const AUTH_KINDS = {
  type: 'plain',
  credentialId: 'plain',
  tokenUrl: 'plain',
  clientId: 'template',
  clientSecret: 'template',
  resource: 'plain',
} as const satisfies Record<keyof Auth, FactKind>

const OWN_KINDS = {
  type: 'plain',
  command: 'template',
  args: 'templates',
  env: 'map',
  envFile: 'template',
  cwd: 'template',
  url: 'template',
  headers: 'map',
  headersHelper: 'template',
  /** `false`: OAuth must not be tried. Then nothing else is said about it. */
  oauth: 'plain',
  ideName: 'plain',
  authToken: 'template',
  ideRunningInWindows: 'plain',
  name: 'plain',
  id: 'plain',
  timeout: 'ms',
  maxDuration: 'ms',
  startupTimeout: 'ms',
  required: 'plain',
  includeTools: 'words',
  excludeTools: 'words',
  description: 'plain',
  protocol: 'plain',
  inheritEnv: 'plain',
  supportsParallelCalls: 'plain',
  isolation: 'plain',
  values: 'plain',
  enabled: 'plain',
} as const

type OAuthName = `oauth.${keyof typeof OAUTH_KINDS}`
type AuthName = `auth.${keyof typeof AUTH_KINDS}`

export type FactName = keyof typeof OWN_KINDS | OAuthName | AuthName

type KindOf<K extends FactName> = K extends keyof typeof OWN_KINDS
  ? (typeof OWN_KINDS)[K]
  : K extends `oauth.${infer F extends keyof typeof OAUTH_KINDS}`
    ? (typeof OAUTH_KINDS)[F]
    : K extends `auth.${infer F extends keyof typeof AUTH_KINDS}`
      ? (typeof AUTH_KINDS)[F]
      : never

export type FactValue<K extends FactName> = Shapes[KindOf<K>]

export type Facts = { readonly [K in FactName]?: FactValue<K> | undefined }

const withPrefix = (prefix: string, kinds: object): [string, FactKind][] =>
  Object.entries(kinds).map(([key, kind]) => [`${prefix}.${key}`, kind as FactKind])

const NESTED: ReadonlyMap<string, FactKind> = new Map([
  ...withPrefix('oauth', OAUTH_KINDS),
  ...withPrefix('auth', AUTH_KINDS),
])

export function kindOf(name: FactName): FactKind {
  return NESTED.get(name) ?? OWN_KINDS[name as keyof typeof OWN_KINDS]
}

/** All names of fields about signing in. */
export const NESTED_NAMES = [...NESTED.keys()] as readonly (OAuthName | AuthName)[]

export function toFacts(definition: ServerDefinition, power: 'on' | 'off'): Facts {
  const { required, includeTools, excludeTools, description, protocol } = definition
  const { inheritEnv, supportsParallelCalls, isolation } = definition
  return {
    ...transportFacts(definition.transport),
    ...prefixed('auth', definition.auth),
    timeout: definition.timeoutMs,
    maxDuration: definition.maxDurationMs,
    startupTimeout: definition.startupTimeoutMs,
    required,
    includeTools,
    excludeTools,
    description,
    protocol,
    inheritEnv,
    supportsParallelCalls,
    isolation,
    values: definition.values === 'literal' && mayBeResolved(definition) ? 'literal' : undefined,
    enabled: power === 'off' ? false : undefined,
  }
}

function transportFacts(transport: Transport): Facts {
  switch (transport.type) {
    case 'stdio': {
      const { command, args, env, envFile, cwd } = transport
      return { command, args: args.length === 0 ? undefined : args, env: unlessEmpty(env), envFile, cwd }
    }
    case 'http':
    case 'sse':
      return { ...remoteFacts(transport), ...oauthFacts(transport.oauth) }
    case 'ws':
      return remoteFacts(transport)
    case 'sse-ide':
    case 'ws-ide': {
      const { url, ideName, authToken, ideRunningInWindows } = transport
      return { url, ideName, authToken, ideRunningInWindows }
    }
    case 'sdk':
      return { name: transport.sdkName }
    case 'claudeai-proxy':
      return { url: transport.url, id: transport.id }
  }
}

function remoteFacts(transport: Extract<Transport, { type: 'http' | 'sse' | 'ws' }>): Facts {
  const { url, headers, headersHelper } = transport
  return { url, headers: unlessEmpty(headers), headersHelper }
}

function oauthFacts(oauth: OAuth | undefined): Facts {
  return oauth?.isOff === true ? { oauth: false } : prefixed('oauth', oauth)
}

/** The types of the tables guarantee that every key is valid. */
function prefixed(prefix: 'oauth' | 'auth', settings: OAuth | Auth = {}): Facts {
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${prefix}.${key}`, value]))
}

function unlessEmpty(map: TemplateMap): TemplateMap | undefined {
  return map.size === 0 ? undefined : map
}

/** Whether a file that resolves values would treat one of these as a command, or as the name of a variable. */
export function mayBeResolved({ transport }: ServerDefinition): boolean {
  return [...valuesOf(transport).values()].some((value) => isCommand(value) || isVariableName(value))
}

export function valuesOf(transport: Transport): TemplateMap {
  if (transport.type === 'stdio') return transport.env
  return 'headers' in transport ? transport.headers : new Map()
}

/** As resolve decides: the mark must be in the file itself. */
export function isCommand([first]: Template): boolean {
  return typeof first === 'string' && first.startsWith('!')
}

function isVariableName(template: Template): boolean {
  const [text] = template
  return template.length === 1 && typeof text === 'string' && /^[A-Z_][A-Z0-9_]*$/.test(text)
}
