/**
 * windsurf: `mcpServers` with `serverUrl`, tools turned off by name, `${env:X}` and `${file:path}`.
 */
import type { Dialect } from '../draft.ts'
import { disabled, ignored, template, toolNames, unless } from '../fields.ts'
import { COMMON_FIELDS } from './plugboard.ts'

export const windsurf: Dialect = {
  id: 'windsurf',
  fields: {
    ...COMMON_FIELDS,
    serverUrl: template('url'),
    url: unless('serverUrl', template('url')),
    cwd: template('cwd'),
    disabled,
    disabledTools: toolNames('excludeTools'),
    alwaysAllow: ignored('set permissions in Plugboard instead'),
  },
  syntaxes: ['env-prefix', 'file-prefix'],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
