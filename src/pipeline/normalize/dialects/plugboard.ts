/**
 * plugboard: our own fields. xcsh and oh-my-pi have the same and a few more; their `timeout` covers something else.
 */
import { GRANT_TYPES, type Auth, type GrantType, type OAuth } from '../../../model/definition.ts'
import type { Dialect, FieldReader, Mutable } from '../draft.ts'
import {
  command,
  disabled,
  enabled,
  flag,
  ignored,
  millis,
  oneOf,
  silent,
  template,
  templateMap,
  templates,
  toolNames,
  words,
} from '../fields.ts'
import {
  asFlag,
  asPort,
  asOneOf,
  asScopes,
  asTemplate,
  asText,
  auth,
  oauth,
  oauthOrFalse,
  type Setter,
} from '../nested.ts'

/** The fields of every file in the `mcpServers` family. */
export const COMMON_FIELDS: Readonly<Record<string, FieldReader>> = {
  type: words('type'),
  command,
  args: templates('args'),
  env: templateMap('env'),
  url: template('url'),
  headers: templateMap('headers'),
  // Not every agent has both, but a user who writes one wants its effect.
  enabled,
  disabled,
}

/** For grants with a user at a browser. No field here reads a file, or makes a connection less safe. */
const OAUTH_OF_ANYONE: Readonly<Record<string, Setter<Mutable<OAuth>>>> = {
  clientId: asTemplate<OAuth>('clientId'),
  clientSecret: asTemplate<OAuth>('clientSecret'),
  scopes: asScopes<OAuth>('scopes'),
  scope: asScopes<OAuth>('scopes'),
  callbackPort: asPort<OAuth>('callbackPort'),
  callbackPath: asText<OAuth>('callbackPath'),
  redirectUri: asText<OAuth>('redirectUri'),
  authServerMetadataUrl: asText<OAuth>('authServerMetadataUrl'),
  authorizationUrl: asText<OAuth>('authorizationUrl'),
  tokenUrl: asText<OAuth>('tokenUrl'),
  resource: asText<OAuth>('resource'),
  issuer: asText<OAuth>('issuer'),
  clientMetadataUrl: asText<OAuth>('clientMetadataUrl'),
  prompt: asText<OAuth>('prompt'),
}

/** For entries of another author that the user has not approved. */
export const CONNECTOR_OAUTH = oauth(OAUTH_OF_ANYONE)

const OUR_OAUTH: Readonly<Record<string, Setter<Mutable<OAuth>>>> = {
  ...OAUTH_OF_ANYONE,
  grantType: asOneOf<OAuth, GrantType>('grantType', GRANT_TYPES),
  privateKey: asTemplate<OAuth>('privateKey'),
  privateKeyFile: asTemplate<OAuth>('privateKeyFile'),
  signingAlgorithm: asText<OAuth>('signingAlgorithm'),
  assertion: asTemplate<OAuth>('assertion'),
  assertionFile: asTemplate<OAuth>('assertionFile'),
  idToken: asTemplate<OAuth>('idToken'),
  idTokenFile: asTemplate<OAuth>('idTokenFile'),
  idpIssuer: asText<OAuth>('idpIssuer'),
  idpTokenUrl: asText<OAuth>('idpTokenUrl'),
  idpClientId: asTemplate<OAuth>('idpClientId'),
  idpClientSecret: asTemplate<OAuth>('idpClientSecret'),
  dangerouslyAllowHttp: asFlag<OAuth>('dangerouslyAllowHttp'),
}

const OUR_AUTH: Readonly<Record<string, Setter<Mutable<Auth>>>> = {
  type: asText<Auth>('type'),
  credentialId: asText<Auth>('credentialId'),
  tokenUrl: asText<Auth>('tokenUrl'),
  clientId: asTemplate<Auth>('clientId'),
  clientSecret: asTemplate<Auth>('clientSecret'),
  resource: asText<Auth>('resource'),
}

export const OUR_FIELDS: Readonly<Record<string, FieldReader>> = {
  ...COMMON_FIELDS,
  envFile: template('envFile'),
  cwd: template('cwd'),
  headersHelper: template('headersHelper'),
  oauth: oauthOrFalse(oauth(OUR_OAUTH)),
  auth: auth(OUR_AUTH),
  ideName: words('ideName'),
  authToken: template('authToken'),
  ideRunningInWindows: flag('ideRunningInWindows'),
  name: words('sdkName'),
  id: words('id'),
  enabled,
  timeout: millis('timeoutMs'),
  maxDuration: millis('maxDurationMs'),
  startupTimeout: millis('startupTimeoutMs'),
  required: flag('required'),
  includeTools: toolNames('includeTools'),
  excludeTools: toolNames('excludeTools'),
  description: words('description'),
  protocol: oneOf('protocol', ['auto', 'legacy', '2026-07-28']),
  inheritEnv: flag('inheritEnv'),
  supportsParallelCalls: flag('supportsParallelCalls'),
  isolation: oneOf('isolation', ['shared', 'session', 'agent', 'project']),
  $schema: silent,
}

/** The paths of all fields in our own files: `cwd`, `oauth.clientId`. */
export const OUR_PATHS: ReadonlySet<string> = new Set([
  ...Object.keys(OUR_FIELDS),
  ...Object.keys(OUR_OAUTH).map((key) => `oauth.${key}`),
  ...Object.keys(OUR_AUTH).map((key) => `auth.${key}`),
])

/** Our files accept everything that another agent's file can say, so also its references to files and inputs. */
export const plugboard: Dialect = {
  id: 'plugboard',
  fields: { ...OUR_FIELDS, values: oneOf('values', ['literal']) },
  syntaxes: ['env-prefix', 'file-prefix', 'input'],
  values: 'resolvable',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}

/** xcsh and oh-my-pi: one `timeout` for connecting and for requests. */
export const xcsh: Dialect = {
  ...plugboard,
  id: 'xcsh',
  syntaxes: [],
  fields: {
    ...OUR_FIELDS,
    timeout: millis('timeoutMs', 'startupTimeoutMs'),
    requestIdFormat: ignored(),
    envPolicy: ignored('it is for plugins of oh-my-pi'),
    headerPolicy: ignored('it is for plugins of oh-my-pi'),
  },
}
