/**
 * facts: what a definition says, field by field.
 *
 * in     a definition, and whether it is turned off
 * out    its fields by the names they have in our own files, those alone that say something
 * never  says what a reader assumes anyway: an empty map, a server that is on
 */
import type { Auth, OAuth, ServerDefinition, TemplateMap, Transport } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'

/** What kind of value each field has. */
const KINDS = {
  type: 'plain',
  command: 'template',
  args: 'templates',
  env: 'map',
  envFile: 'template',
  cwd: 'template',
  url: 'template',
  headers: 'map',
  headersHelper: 'template',
  /** `false`: not to be tried. Then nothing else is said about it. */
  oauth: 'plain',
  'oauth.clientId': 'template',
  'oauth.clientSecret': 'template',
  'oauth.scopes': 'words',
  'oauth.callbackPort': 'plain',
  'oauth.callbackPath': 'plain',
  'oauth.redirectUri': 'plain',
  'oauth.authServerMetadataUrl': 'plain',
  'oauth.authorizationUrl': 'plain',
  'oauth.tokenUrl': 'plain',
  'oauth.resource': 'plain',
  'oauth.grantType': 'plain',
  'oauth.prompt': 'plain',
  'auth.type': 'plain',
  'auth.credentialId': 'plain',
  'auth.tokenUrl': 'plain',
  'auth.clientId': 'template',
  'auth.clientSecret': 'template',
  'auth.resource': 'plain',
  ideName: 'plain',
  authToken: 'template',
  ideRunningInWindows: 'plain',
  name: 'plain',
  id: 'plain',
  timeout: 'ms',
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

interface Shapes {
  readonly template: Template
  readonly templates: readonly Template[]
  readonly map: TemplateMap
  readonly words: readonly string[]
  readonly ms: number
  readonly plain: string | number | boolean
}

export type FactName = keyof typeof KINDS

export type FactValue<K extends FactName> = Shapes[(typeof KINDS)[K]]

export type Facts = { readonly [K in FactName]?: FactValue<K> | undefined }

export function kindOf<K extends FactName>(name: K): (typeof KINDS)[K] {
  return KINDS[name]
}

export function toFacts(definition: ServerDefinition, power: 'on' | 'off'): Facts {
  const { required, includeTools, excludeTools, description, protocol } = definition
  const { inheritEnv, supportsParallelCalls, isolation } = definition
  return {
    ...transportFacts(definition.transport),
    ...authFacts(definition.auth),
    timeout: definition.timeoutMs,
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
  if (oauth === undefined) return {}
  if (oauth.isOff === true) return { oauth: false }
  return {
    'oauth.clientId': oauth.clientId,
    'oauth.clientSecret': oauth.clientSecret,
    'oauth.scopes': oauth.scopes,
    'oauth.callbackPort': oauth.callbackPort,
    'oauth.callbackPath': oauth.callbackPath,
    'oauth.redirectUri': oauth.redirectUri,
    'oauth.authServerMetadataUrl': oauth.authServerMetadataUrl,
    'oauth.authorizationUrl': oauth.authorizationUrl,
    'oauth.tokenUrl': oauth.tokenUrl,
    'oauth.resource': oauth.resource,
    'oauth.grantType': oauth.grantType,
    'oauth.prompt': oauth.prompt,
  }
}

function authFacts(auth: Auth | undefined): Facts {
  if (auth === undefined) return {}
  return {
    'auth.type': auth.type,
    'auth.credentialId': auth.credentialId,
    'auth.tokenUrl': auth.tokenUrl,
    'auth.clientId': auth.clientId,
    'auth.clientSecret': auth.clientSecret,
    'auth.resource': auth.resource,
  }
}

function unlessEmpty(map: TemplateMap): TemplateMap | undefined {
  return map.size === 0 ? undefined : map
}

/** Whether a file in which values are resolved would take one of these for a command, or for the name of a variable. */
export function mayBeResolved({ transport }: ServerDefinition): boolean {
  return [...valuesOf(transport).values()].some((value) => isCommand(value) || isVariableName(value))
}

export function valuesOf(transport: Transport): TemplateMap {
  if (transport.type === 'stdio') return transport.env
  return 'headers' in transport ? transport.headers : new Map()
}

/** As resolve sees it: the mark must stand in the file itself. */
export function isCommand([first]: Template): boolean {
  return typeof first === 'string' && first.startsWith('!')
}

function isVariableName(template: Template): boolean {
  const [text] = template
  return template.length === 1 && typeof text === 'string' && /^[A-Z_][A-Z0-9_]*$/.test(text)
}
