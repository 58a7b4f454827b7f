/**
 * definition-json: a definition as plain JSON, in the field names of our own files.
 *
 * `templates` is for writing files: everything as the user wrote it. `masked` is for everything that is shown: it
 * contains no literal that may be a secret.
 */
import type { Auth, OAuth, ServerDefinition, TemplateMap, Transport } from '../model/definition.ts'
import { showTemplate, type Template } from '../model/template.ts'
import { maskArgs, maskHeader, maskTemplate, maskText, maskValue } from '../problem/mask-text.ts'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

export function toDefinitionJson(definition: ServerDefinition, show: 'masked' | 'templates'): JsonObject {
  const spelling = show === 'masked' ? MASKED : WRITTEN
  const { includeTools, excludeTools, description, auth, required } = definition
  const { protocol, inheritEnv, supportsParallelCalls, isolation } = definition
  return toObject({
    ...transportFields(definition.transport, spelling),
    auth: auth && authFields(auth, spelling),
    timeout: definition.timeoutMs,
    maxDuration: definition.maxDurationMs,
    startupTimeout: definition.startupTimeoutMs,
    required,
    includeTools,
    excludeTools,
    description: description && spelling.words(description),
    protocol,
    inheritEnv,
    supportsParallelCalls,
    isolation,
  })
}

/** Parts of a definition, masked. */
export function toTransportJson(transport: Transport): JsonObject {
  return toObject(transportFields(transport, MASKED))
}

export function toAuthJson(auth: Auth): JsonObject {
  return authFields(auth, MASKED)
}

/** How each text of a definition is written out, by how likely it holds a secret. */
interface Spelling {
  readonly text: (template: Template) => string
  readonly args: (args: readonly Template[]) => string[]
  readonly value: (template: Template) => string
  readonly header: (template: Template) => string
  readonly words: (text: string) => string
}

const MASKED: Spelling = {
  text: maskTemplate,
  args: maskArgs,
  value: maskValue,
  header: maskHeader,
  words: maskText,
}

const WRITTEN: Spelling = {
  text: showTemplate,
  args: (args) => args.map(showTemplate),
  value: showTemplate,
  header: showTemplate,
  words: (text) => text,
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

function transportFields(transport: Transport, spelling: Spelling): Fields {
  const { text, args, value, header } = spelling
  const { type } = transport
  switch (transport.type) {
    case 'stdio':
      return {
        type,
        command: text(transport.command),
        args: args(transport.args),
        env: mapFields(transport.env, value),
        envFile: transport.envFile && text(transport.envFile),
        cwd: transport.cwd && text(transport.cwd),
      }
    case 'http':
    case 'sse':
    case 'ws':
      return {
        type,
        url: text(transport.url),
        headers: mapFields(transport.headers, header),
        headersHelper: transport.headersHelper && text(transport.headersHelper),
        oauth: 'oauth' in transport ? transport.oauth && oauthFields(transport.oauth, spelling) : undefined,
      }
    case 'sse-ide':
    case 'ws-ide':
      return {
        type,
        url: text(transport.url),
        ideName: transport.ideName,
        authToken: transport.authToken && value(transport.authToken),
        ideRunningInWindows: transport.ideRunningInWindows,
      }
    case 'sdk':
      return { type, name: transport.sdkName }
    case 'claudeai-proxy':
      return { type, url: text(transport.url), id: transport.id }
  }
}

function oauthFields(oauth: OAuth, { text, value, words }: Spelling): JsonValue {
  if (oauth.isOff === true) return false
  return toObject({
    clientId: oauth.clientId && text(oauth.clientId),
    clientSecret: oauth.clientSecret && value(oauth.clientSecret),
    scopes: oauth.scopes,
    callbackPort: oauth.callbackPort,
    callbackPath: oauth.callbackPath,
    redirectUri: oauth.redirectUri && words(oauth.redirectUri),
    authServerMetadataUrl: oauth.authServerMetadataUrl && words(oauth.authServerMetadataUrl),
    authorizationUrl: oauth.authorizationUrl && words(oauth.authorizationUrl),
    tokenUrl: oauth.tokenUrl && words(oauth.tokenUrl),
    resource: oauth.resource && words(oauth.resource),
    issuer: oauth.issuer && words(oauth.issuer),
    clientMetadataUrl: oauth.clientMetadataUrl && words(oauth.clientMetadataUrl),
    grantType: oauth.grantType,
    prompt: oauth.prompt,
    privateKey: oauth.privateKey && value(oauth.privateKey),
    privateKeyFile: oauth.privateKeyFile && text(oauth.privateKeyFile),
    signingAlgorithm: oauth.signingAlgorithm,
    assertion: oauth.assertion && value(oauth.assertion),
    assertionFile: oauth.assertionFile && text(oauth.assertionFile),
    idToken: oauth.idToken && value(oauth.idToken),
    idTokenFile: oauth.idTokenFile && text(oauth.idTokenFile),
    idpIssuer: oauth.idpIssuer && words(oauth.idpIssuer),
    idpTokenUrl: oauth.idpTokenUrl && words(oauth.idpTokenUrl),
    idpClientId: oauth.idpClientId && text(oauth.idpClientId),
    idpClientSecret: oauth.idpClientSecret && value(oauth.idpClientSecret),
    dangerouslyAllowHttp: oauth.dangerouslyAllowHttp,
  })
}

function authFields(auth: Auth, { text, value, words }: Spelling): JsonObject {
  return toObject({
    type: auth.type,
    credentialId: auth.credentialId,
    tokenUrl: auth.tokenUrl && words(auth.tokenUrl),
    clientId: auth.clientId && text(auth.clientId),
    clientSecret: auth.clientSecret && value(auth.clientSecret),
    resource: auth.resource && words(auth.resource),
  })
}

/** Leaves an empty map out, since it says nothing. */
function mapFields(map: TemplateMap, spell: (template: Template) => string): JsonObject | undefined {
  if (map.size === 0) return undefined
  return createObject([...map].map(([name, template]) => [name, spell(template)]))
}

/** Keeps the fields that have a value. */
function toObject(fields: Fields): JsonObject {
  return createObject(
    Object.entries(fields).filter((field): field is [string, JsonValue] => field[1] !== undefined),
  )
}

/** Without a prototype, so that `__proto__` is a key like any other. */
function createObject(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object = Object.create(null) as Record<string, JsonValue>
  for (const [key, value] of entries) object[key] = value
  return object
}
