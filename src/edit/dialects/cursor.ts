/**
 * cursor: OAuth clients under `auth` in capitals.
 */
import { COMMON_ROWS } from './plugboard.ts'
import { ENV_PREFIX } from './spelling.ts'
import { unheeded, type Writer } from './writer.ts'

export const cursor: Writer = {
  dialect: 'cursor',
  types: { stdio: null, http: null, auto: null, sse: 'sse' },
  fallsBack: true,
  rows: {
    ...COMMON_ROWS,
    cwd: 'cwd',
    envFile: 'envFile',
    'oauth.clientId': 'auth.CLIENT_ID',
    'oauth.clientSecret': 'auth.CLIENT_SECRET',
    'oauth.scopes': 'auth.scopes',
    enabled: unheeded(),
  },
  spelling: ENV_PREFIX,
  values: 'literal',
}
