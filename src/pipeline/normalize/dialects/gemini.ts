/**
 * gemini: the address is in one of three fields, which also give its type; `$VAR`, and `%VAR%` on Windows.
 */
import type { OAuth } from '../../../model/definition.ts'
import { setField, type Dialect, type FieldReader } from '../draft.ts'
import { ignored, millis, template, toolNames, unless, words } from '../fields.ts'
import { asScopes, asTemplate, asText, oauth, type Setter } from '../nested.ts'
import { COMMON_FIELDS } from './plugboard.ts'

/** A field that holds the address and also gives the type. */
function addressOf(type: 'http' | 'ws'): FieldReader {
  return (draft, field) => {
    template('url')(draft, field)
    setField(draft, 'type', field, type)
  }
}

const oauthEnabled: Setter<{ isOff?: boolean }> = (target, { node }) => {
  const value = node.kind === 'scalar' ? node.value : undefined
  if (value === false) target.isOff = true
  return typeof value === 'boolean' ? undefined : '`true` or `false`'
}

export const gemini: Dialect = {
  id: 'gemini',
  fields: {
    ...COMMON_FIELDS,
    cwd: template('cwd'),
    // The first field that is present counts.
    httpUrl: addressOf('http'),
    url: unless('httpUrl', template('url')),
    tcp: unless('httpUrl', unless('url', addressOf('ws'))),
    type: unless('httpUrl', words('type')),
    timeout: millis('timeoutMs'),
    description: words('description'),
    includeTools: toolNames('includeTools'),
    excludeTools: toolNames('excludeTools'),
    trust: ignored('trust is asked, never configured'),
    oauth: oauth({
      enabled: oauthEnabled,
      clientId: asTemplate<OAuth>('clientId'),
      clientSecret: asTemplate<OAuth>('clientSecret'),
      authorizationUrl: asText<OAuth>('authorizationUrl'),
      tokenUrl: asText<OAuth>('tokenUrl'),
      scopes: asScopes<OAuth>('scopes'),
      redirectUri: asText<OAuth>('redirectUri'),
    }),
    authProviderType: ignored(),
    targetAudience: ignored(),
    targetServiceAccount: ignored(),
  },
  syntaxes: ['dollar', 'percent'],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
