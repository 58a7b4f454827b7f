/**
 * copilot: `type: "local"`, one list for tools, and OAuth in fields of the entry itself.
 */
import type { GrantType, OAuth } from '../../../model/definition.ts'
import { setField, templateIn, type Dialect, type FieldReader } from '../draft.ts'
import { ignored, millis, readTexts, requireText, scalarText } from '../fields.ts'
import { asPort, asOneOf, asTemplate, oauth, oauthField } from '../nested.ts'
import { COMMON_FIELDS } from './plugboard.ts'

/** `["*"]` is every tool, `[]` none. */
const tools: FieldReader = (draft, field) => {
  if (scalarText(field.node) === '*') return
  const names = readTexts(draft, field)
  if (names !== undefined && !names.includes('*')) setField(draft, 'includeTools', field, names)
}

/** `~` is the user's home. */
const cwd: FieldReader = (draft, field) => {
  const text = requireText(draft, field)
  if (text === undefined) return
  const isInHome = /^~(?:[\\/]|$)/.test(text)
  setField(draft, 'cwd', field, templateIn(draft, isInHome ? `\${~}${text.slice(1)}` : text, field))
}

const grantType = oauthField(
  asOneOf<OAuth, GrantType>('grantType', ['authorization_code', 'client_credentials']),
)

export const copilot: Dialect = {
  id: 'copilot',
  fields: {
    ...COMMON_FIELDS,
    cwd,
    tools,
    timeout: millis('timeoutMs'),
    oauthClientId: oauthField(asTemplate<OAuth>('clientId')),
    oauthGrantType: grantType,
    oauthPublicClient: ignored(),
    auth: oauth({ redirectPort: asPort<OAuth>('callbackPort') }),
    // How older versions write the two fields above.
    oauth: oauth({
      clientId: asTemplate<OAuth>('clientId'),
      callbackPort: asPort<OAuth>('callbackPort'),
    }),
    oidc: ignored('Plugboard has no token of GitHub to pass on'),
    deferTools: ignored(),
    disableToolCache: ignored(),
    filterMapping: ignored(),
  },
  syntaxes: ['dollar'],
  values: 'literal',
  typeOfUrl: 'http',
  types: { local: 'stdio' },
  unknownField: 'not-used',
}
