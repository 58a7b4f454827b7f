/**
 * agent-code: TOML tables with four fields. Its "SSE" is an HTTP POST, so Plugboard tries a `url` as http first.
 */
import type { Dialect } from '../draft.ts'
import { command, disabled, enabled, template, templateMap, templates } from '../fields.ts'

export const agentCode: Dialect = {
  id: 'agent-code',
  fields: {
    command,
    args: templates('args'),
    env: templateMap('env'),
    url: template('url'),
    // agent-code has no such fields, but a user who writes one wants its effect.
    enabled,
    disabled,
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
