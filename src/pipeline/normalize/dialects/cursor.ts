/**
 * cursor: `mcpServers` with `envFile`, `${env:X}`, and OAuth clients under `auth` in capitals.
 */
import type { OAuth } from '../../../model/definition.ts'
import type { Dialect } from '../draft.ts'
import { template } from '../fields.ts'
import { asScopes, asTemplate, oauth } from '../nested.ts'
import { COMMON_FIELDS } from './plugboard.ts'

export const cursor: Dialect = {
  id: 'cursor',
  fields: {
    ...COMMON_FIELDS,
    cwd: template('cwd'),
    envFile: template('envFile'),
    auth: oauth({
      CLIENT_ID: asTemplate<OAuth>('clientId'),
      CLIENT_SECRET: asTemplate<OAuth>('clientSecret'),
      scopes: asScopes<OAuth>('scopes'),
    }),
  },
  syntaxes: ['env-prefix'],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
