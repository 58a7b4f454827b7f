/** opencode: `command` as one list, `environment`, `{env:X}`; version 2 has other names for some fields. */
import { BRACES } from './spelling.ts'
import { disabled, joined, sharedTimeout, startupWithShared, type Put, type Writer } from './writer.ts'

const wholeCommand: Put<'command'> = (pen, command) => {
  const { args = [] } = pen.facts
  const words = [command, ...args].map((word, i) => pen.spell(word, i === 0 ? 'command' : `args[${i - 1}]`))
  pen.put('command', words)
}

export const opencode: Writer = {
  dialect: 'opencode',
  // It tries a remote server as HTTP, then as SSE.
  types: { stdio: 'local', http: 'remote', auto: 'remote', sse: 'remote' },
  fallsBack: true,
  rows: {
    type: (pen, word) => {
      pen.put('type', word)
      if (pen.kind === 'sse') pen.unsay('type', 'tries HTTP first, then SSE')
    },
    command: wholeCommand,
    args: () => undefined,
    cwd: 'cwd',
    env: 'environment',
    url: 'url',
    headers: 'headers',
    oauth: 'oauth',
    'oauth.clientId': 'oauth.clientId',
    'oauth.clientSecret': 'oauth.clientSecret',
    'oauth.scopes': joined('oauth.scope'),
    'oauth.callbackPort': 'oauth.callbackPort',
    'oauth.redirectUri': 'oauth.redirectUri',
    timeout: sharedTimeout,
    startupTimeout: startupWithShared,
    enabled: 'enabled',
  },
  spelling: BRACES,
  values: 'literal',
}

/** The form inside `mcp.servers`. */
export const opencode2: Writer = {
  ...opencode,
  rows: {
    ...opencode.rows,
    'oauth.clientId': 'oauth.client_id',
    'oauth.clientSecret': 'oauth.client_secret',
    'oauth.callbackPort': 'oauth.callback_port',
    'oauth.redirectUri': 'oauth.redirect_uri',
    timeout: 'timeout.request',
    startupTimeout: 'timeout.startup',
    enabled: disabled,
  },
}
