/**
 * cline: `mcpServers`, flat or with the connection under `transport`; seconds; `url` alone means SSE.
 */
import type { OAuth } from '../../../model/definition.ts'
import type { Dialect, FieldReader } from '../draft.ts'
import { disabled, group, ignored, seconds, silent, template, unless, words } from '../fields.ts'
import { asTemplate, oauth } from '../nested.ts'
import { COMMON_FIELDS } from './plugboard.ts'

const CONNECTION_FIELDS = { ...COMMON_FIELDS, cwd: template('cwd') }

const connection = group(CONNECTION_FIELDS)

const transport: FieldReader = (draft, field) => {
  const read = field.node.kind === 'object' ? connection : ignored('Cline takes the type from `type`')
  read(draft, field)
}

const permissions = ignored('set permissions in Plugboard instead')

export const cline: Dialect = {
  id: 'cline',
  fields: {
    ...CONNECTION_FIELDS,
    transport,
    // The older spelling of `type`.
    transportType: unless('type', words('type')),
    disabled,
    timeout: seconds('timeoutMs'),
    autoApprove: permissions,
    alwaysAllow: permissions,
    oauthClient: oauth({
      clientId: asTemplate<OAuth>('clientId'),
      clientSecret: asTemplate<OAuth>('clientSecret'),
    }),
    // Cline's own sign-in, with its tokens. Plugboard must not copy it.
    oauth: silent,
    remoteConfigured: silent,
    metadata: ignored(),
  },
  syntaxes: ['env-prefix'],
  values: 'literal',
  typeOfUrl: 'sse',
  unknownField: 'not-used',
}
