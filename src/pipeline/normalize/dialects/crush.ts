/**
 * crush: snake_case fields, seconds, and values in shell syntax. `$(command)` is code in a file: Plugboard keeps it as
 * text and never runs it.
 */
import type { OAuth } from '../../../model/definition.ts'
import { setField, type Dialect, type FieldReader } from '../draft.ts'
import { disabled, seconds, silent, toolNames } from '../fields.ts'
import { asPort, asTemplate, oauthField } from '../nested.ts'
import { badValue } from '../problems.ts'
import { COMMON_FIELDS } from './plugboard.ts'

/** `true` asks for the default: a sign-in when a server wants it. */
const oauthSwitch: FieldReader = (draft, field) => {
  const value = field.node.kind === 'scalar' ? field.node.value : undefined
  if (typeof value !== 'boolean') draft.warnings.push(badValue(draft.found, field, '`true` or `false`'))
  else if (!value) setField(draft, 'oauth', field, { ...draft.fields.oauth, isOff: true })
}

export const crush: Dialect = {
  id: 'crush',
  fields: {
    ...COMMON_FIELDS,
    // Crush stops its timer once the server is connected.
    timeout: seconds('startupTimeoutMs'),
    disabled,
    enabled_tools: toolNames('includeTools'),
    disabled_tools: toolNames('excludeTools'),
    oauth: oauthSwitch,
    oauth_client_id: oauthField(asTemplate<OAuth>('clientId')),
    oauth_client_secret: oauthField(asTemplate<OAuth>('clientSecret')),
    oauth_callback_port: oauthField(asPort<OAuth>('callbackPort')),
    oauth_token: silent,
  },
  syntaxes: ['dollar', 'command'],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
