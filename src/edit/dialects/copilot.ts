/**
 * copilot: every entry says which tools it offers.
 */
import { COMMON_ROWS } from './plugboard.ts'
import { SHELL_LIKE } from './spelling.ts'
import { type Writer } from './writer.ts'

export const copilot: Writer = {
  dialect: 'copilot',
  types: { stdio: 'local', http: 'http', auto: null, sse: 'sse' },
  fallsBack: false,
  begin: (pen) => pen.put('tools', pen.facts.includeTools ?? ['*']),
  rows: {
    ...COMMON_ROWS,
    cwd: 'cwd',
    includeTools: () => undefined,
    timeout: 'timeout',
    'oauth.clientId': 'oauthClientId',
    'oauth.grantType': (pen, type) => {
      const isKnown = type === 'authorization_code' || type === 'client_credentials'
      if (isKnown) pen.put('oauthGrantType', type)
      else pen.unsay('oauth.grantType')
    },
    'oauth.callbackPort': 'auth.redirectPort',
  },
  spelling: SHELL_LIKE,
  values: 'literal',
}
