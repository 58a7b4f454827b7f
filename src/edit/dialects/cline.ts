/**
 * cline: `streamableHttp`, and seconds.
 */
import { COMMON_ROWS } from './plugboard.ts'
import { ENV_PREFIX } from './spelling.ts'
import { disabled, seconds, type Writer } from './writer.ts'

export const cline: Writer = {
  dialect: 'cline',
  types: { stdio: 'stdio', http: 'streamableHttp', auto: 'streamableHttp', sse: 'sse' },
  fallsBack: false,
  rows: {
    ...COMMON_ROWS,
    cwd: 'cwd',
    timeout: seconds('timeout', 'timeout'),
    'oauth.clientId': 'oauthClient.clientId',
    'oauth.clientSecret': 'oauthClient.clientSecret',
    enabled: disabled,
  },
  spelling: ENV_PREFIX,
  values: 'literal',
}
