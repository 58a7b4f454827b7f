/**
 * agent-code: TOML tables with four fields. What it calls SSE is an HTTP POST, so a `url` is tried as http first.
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
    // No fields of its own, but whoever writes one means it.
    enabled,
    disabled,
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
