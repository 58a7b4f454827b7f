/**
 * vscode: `servers` with `envFile`, values that VS Code asks the user for, and addresses that are sockets.
 */
import type { OAuth } from '../../../model/definition.ts'
import { toText } from '../../../model/document.ts'
import type { Dialect, FieldReader } from '../draft.ts'
import { ignored, silent, template } from '../fields.ts'
import { asTemplate, oauth } from '../nested.ts'
import { unsupportedKind } from '../problems.ts'
import { COMMON_FIELDS } from './plugboard.ts'

/** `unix:///path#/sub` and `pipe:///name` are Streamable HTTP through a socket or a named pipe. */
const url: FieldReader = (draft, field) => {
  template('url')(draft, field)
  const scheme = /^(?:unix|pipe):\/\//.exec(toText(field.node) ?? '')?.[0]
  if (scheme === undefined) return
  draft.unsupported = unsupportedKind(
    draft.found,
    `server \`${draft.found.name}\` listens at a \`${scheme}\` address, which Plugboard cannot reach`,
    field,
    ['if the server can listen on a port, give its `http://` address'],
  )
}

export const vscode: Dialect = {
  id: 'vscode',
  fields: {
    ...COMMON_FIELDS,
    url,
    cwd: template('cwd'),
    envFile: template('envFile'),
    oauth: oauth({ clientId: asTemplate<OAuth>('clientId') }),
    dev: ignored('it serves those who write the server'),
    sandboxEnabled: ignored('Plugboard does not put servers into a sandbox'),
    // The place that the entry was installed from.
    gallery: silent,
    version: silent,
  },
  syntaxes: ['env-prefix', 'input'],
  values: 'literal',
  typeOfUrl: 'http',
  fallbackTypes: ['http'],
  unknownField: 'not-used',
}
