/**
 * gemini: the address of a socket has a field of its own.
 */
import { VARIABLES_ALONE } from './spelling.ts'
import { type Put, type Writer } from './writer.ts'

/** A server behind a socket has a field of its own for the address. */
const geminiUrl: Put<'url'> = (pen, url) => pen.put(pen.kind === 'ws' ? 'tcp' : 'url', pen.spell(url, 'url'))

export const gemini: Writer = {
  dialect: 'gemini',
  types: { stdio: null, http: 'http', auto: null, sse: 'sse', ws: null },
  fallsBack: true,
  rows: {
    command: 'command',
    args: 'args',
    env: 'env',
    cwd: 'cwd',
    url: geminiUrl,
    type: 'type',
    headers: 'headers',
    timeout: 'timeout',
    description: 'description',
    includeTools: 'includeTools',
    excludeTools: 'excludeTools',
    oauth: (pen) => pen.put('oauth.enabled', false),
    'oauth.clientId': 'oauth.clientId',
    'oauth.clientSecret': 'oauth.clientSecret',
    'oauth.authorizationUrl': 'oauth.authorizationUrl',
    'oauth.tokenUrl': 'oauth.tokenUrl',
    'oauth.scopes': 'oauth.scopes',
    'oauth.redirectUri': 'oauth.redirectUri',
  },
  spelling: VARIABLES_ALONE,
  values: 'literal',
}
