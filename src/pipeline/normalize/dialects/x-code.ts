/**
 * x-code: the `mcpServers` family with a closed list of fields.
 */
import type { Dialect } from '../draft.ts'
import { enabled, millis, template } from '../fields.ts'
import { COMMON_FIELDS } from './plugboard.ts'

export const xCode: Dialect = {
  id: 'x-code',
  fields: {
    ...COMMON_FIELDS,
    cwd: template('cwd'),
    timeout: millis('timeoutMs'),
    enabled,
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'invalid',
}
