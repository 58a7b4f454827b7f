/**
 * x-code: the `mcpServers` family with a closed list of fields.
 */
import type { Dialect } from '../draft.ts'
import { command, enabled, millis, template, templateMap, templates, words } from '../fields.ts'

export const xCode: Dialect = {
  id: 'x-code',
  fields: {
    type: words('type'),
    command,
    args: templates('args'),
    env: templateMap('env'),
    url: template('url'),
    headers: templateMap('headers'),
    cwd: template('cwd'),
    timeout: millis('timeoutMs'),
    enabled,
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'invalid',
}
