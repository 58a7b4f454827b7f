/**
 * crush: snake_case fields, whole seconds, and values in shell syntax.
 */
import { COMMON_ROWS } from './plugboard.ts'
import { SHELL } from './spelling.ts'
import { disabled, seconds, type Writer } from './writer.ts'

export const crush: Writer = {
  dialect: 'crush',
  types: { stdio: 'stdio', http: 'http', auto: 'http', sse: 'sse' },
  fallsBack: false,
  rows: {
    ...COMMON_ROWS,
    startupTimeout: seconds('startupTimeout', 'timeout', 'whole'),
    includeTools: 'enabled_tools',
    excludeTools: 'disabled_tools',
    oauth: 'oauth',
    'oauth.clientId': 'oauth_client_id',
    'oauth.clientSecret': 'oauth_client_secret',
    'oauth.callbackPort': 'oauth_callback_port',
    enabled: disabled,
  },
  spelling: SHELL,
  values: 'literal',
}
