/**
 * plugboard: our own fields, all of them; and those of xcsh and oh-my-pi.
 */
import { NESTED_NAMES } from './facts.ts'
import { OURS, SHELL_LIKE } from './spelling.ts'
import { sharedTimeout, startupWithShared, type Rows, type Writer } from './writer.ts'

/** The fields that every file of the `mcpServers` family supports. */
export const COMMON_ROWS: Rows = {
  type: 'type',
  command: 'command',
  args: 'args',
  env: 'env',
  url: 'url',
  headers: 'headers',
}

const sameNames = (prefix: string): Rows =>
  Object.fromEntries(NESTED_NAMES.filter((name) => name.startsWith(prefix)).map((name) => [name, name]))

const OUR_AUTH = sameNames('auth.')

export const OUR_ROWS: Rows = {
  ...COMMON_ROWS,
  envFile: 'envFile',
  cwd: 'cwd',
  headersHelper: 'headersHelper',
  oauth: 'oauth',
  ...sameNames('oauth.'),
  ...OUR_AUTH,
  ideName: 'ideName',
  authToken: 'authToken',
  ideRunningInWindows: 'ideRunningInWindows',
  name: 'name',
  id: 'id',
  timeout: 'timeout',
  maxDuration: 'maxDuration',
  startupTimeout: 'startupTimeout',
  required: 'required',
  includeTools: 'includeTools',
  excludeTools: 'excludeTools',
  description: 'description',
  protocol: 'protocol',
  inheritEnv: 'inheritEnv',
  supportsParallelCalls: 'supportsParallelCalls',
  isolation: 'isolation',
}

/** Our format can express everything: every entry of another agent must fit in. */
export const plugboard: Writer = {
  dialect: 'plugboard',
  types: {
    stdio: null,
    http: 'http',
    auto: null,
    sse: 'sse',
    ws: 'ws',
    'sse-ide': 'sse-ide',
    'ws-ide': 'ws-ide',
    sdk: 'sdk',
    'claudeai-proxy': 'claudeai-proxy',
  },
  fallsBack: true,
  rows: { ...OUR_ROWS, values: 'values', enabled: 'enabled' },
  spelling: OURS,
  values: 'resolvable',
}

/** xcsh and oh-my-pi, which start an entry without a type as a process. */
export const xcsh: Writer = {
  dialect: 'xcsh',
  types: { stdio: null, http: 'http', auto: 'http', sse: 'sse' },
  fallsBack: false,
  rows: {
    ...COMMON_ROWS,
    cwd: 'cwd',
    'oauth.clientId': 'oauth.clientId',
    'oauth.clientSecret': 'oauth.clientSecret',
    'oauth.redirectUri': 'oauth.redirectUri',
    'oauth.callbackPort': 'oauth.callbackPort',
    'oauth.callbackPath': 'oauth.callbackPath',
    'oauth.prompt': 'oauth.prompt',
    ...OUR_AUTH,
    timeout: sharedTimeout,
    startupTimeout: startupWithShared,
    enabled: 'enabled',
  },
  spelling: SHELL_LIKE,
  values: 'resolvable',
}
