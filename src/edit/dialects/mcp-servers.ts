/**
 * mcp-servers: the writers of the `mcpServers` family, ours among them, and of its near relatives.
 */
import { NESTED_NAMES } from './facts.ts'
import {
  between,
  disabled,
  joined,
  sharedTimeout,
  seconds,
  startupWithShared,
  type Put,
  type Rows,
  type Writer,
} from './writer.ts'
import {
  BRACES,
  ENV_PREFIX,
  NO_REFERENCES,
  OURS,
  SHELL,
  SHELL_LIKE,
  VARIABLES_ALONE,
  VSCODE,
  WINDSURF,
} from './spelling.ts'

const COMMON: Rows = {
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

const OUR_ROWS: Rows = {
  ...COMMON,
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

/** Everything can be said here: whatever another agent's file says must fit in. */
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

/** xcsh and oh-my-pi, which takes an entry without a type for one to start. */
export const xcsh: Writer = {
  dialect: 'xcsh',
  types: { stdio: null, http: 'http', auto: 'http', sse: 'sse' },
  fallsBack: false,
  rows: {
    ...COMMON,
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

export const xCode: Writer = {
  dialect: 'x-code',
  types: { stdio: null, http: 'http', auto: null },
  fallsBack: false,
  rows: {
    ...COMMON,
    cwd: 'cwd',
    timeout: between('timeout', 'timeout', { from: 1, to: 300_000 }),
    enabled: 'enabled',
  },
  spelling: SHELL_LIKE,
  values: 'literal',
}

export const agentCode: Writer = {
  dialect: 'agent-code',
  types: { stdio: null, http: null, auto: null },
  fallsBack: false,
  rows: { command: 'command', args: 'args', env: 'env', url: 'url' },
  spelling: NO_REFERENCES,
  values: 'literal',
}

export const claudeCode: Writer = {
  dialect: 'claude-code',
  types: { stdio: 'stdio', http: 'http', auto: 'http', sse: 'sse', ws: 'ws' },
  fallsBack: false,
  rows: {
    ...COMMON,
    headersHelper: 'headersHelper',
    'oauth.clientId': 'oauth.clientId',
    'oauth.callbackPort': 'oauth.callbackPort',
    'oauth.authServerMetadataUrl': 'oauth.authServerMetadataUrl',
    'oauth.scopes': joined('oauth.scopes'),
    // Below a second it takes a limit for a mistake.
    timeout: between('timeout', 'timeout', { from: 1000, to: Number.MAX_SAFE_INTEGER }),
  },
  spelling: SHELL_LIKE,
  values: 'literal',
}

/** The root files, which many read and nobody owns: in the words of Claude Code, and in ours where it has none. */
export const mcpJson: Writer = {
  ...claudeCode,
  dialect: 'mcp-json',
  types: { ...claudeCode.types, stdio: null },
  rows: { ...OUR_ROWS, ...claudeCode.rows },
}

/** It starts servers, and adds those to reach in its own settings. */
export const claudeDesktop: Writer = {
  dialect: 'mcp-json',
  types: { stdio: null },
  fallsBack: false,
  rows: { command: 'command', args: 'args', env: 'env' },
  spelling: NO_REFERENCES,
  values: 'literal',
}

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

const wholeCommand: Put<'command'> = (pen, command) => {
  const { args = [] } = pen.facts
  const words = [command, ...args].map((word, i) => pen.spell(word, i === 0 ? 'command' : `args[${i - 1}]`))
  pen.put('command', words)
}

export const opencode: Writer = {
  dialect: 'opencode',
  // What is reached is tried as HTTP, then as SSE.
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

export const copilot: Writer = {
  dialect: 'copilot',
  types: { stdio: 'local', http: 'http', auto: null, sse: 'sse' },
  fallsBack: false,
  begin: (pen) => pen.put('tools', pen.facts.includeTools ?? ['*']),
  rows: {
    ...COMMON,
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

export const cursor: Writer = {
  dialect: 'cursor',
  types: { stdio: null, http: null, auto: null, sse: 'sse' },
  fallsBack: true,
  rows: {
    ...COMMON,
    cwd: 'cwd',
    envFile: 'envFile',
    'oauth.clientId': 'auth.CLIENT_ID',
    'oauth.clientSecret': 'auth.CLIENT_SECRET',
    'oauth.scopes': 'auth.scopes',
  },
  spelling: ENV_PREFIX,
  values: 'literal',
}

export const windsurf: Writer = {
  dialect: 'windsurf',
  types: { stdio: null, http: null, auto: null, sse: null },
  fallsBack: true,
  rows: {
    command: 'command',
    args: 'args',
    env: 'env',
    cwd: 'cwd',
    url: (pen, url) => {
      pen.put('serverUrl', pen.spell(url, 'url'))
      if (pen.kind === 'sse') pen.unsay('type', 'tries HTTP first, then SSE')
    },
    headers: 'headers',
    excludeTools: 'disabledTools',
    enabled: disabled,
  },
  spelling: WINDSURF,
  values: 'literal',
}

export const vscode: Writer = {
  dialect: 'vscode',
  types: { stdio: 'stdio', http: 'http', auto: 'http', sse: 'sse' },
  fallsBack: true,
  rows: { ...COMMON, cwd: 'cwd', envFile: 'envFile', 'oauth.clientId': 'oauth.clientId' },
  spelling: VSCODE,
  values: 'literal',
}

export const cline: Writer = {
  dialect: 'cline',
  types: { stdio: 'stdio', http: 'streamableHttp', auto: 'streamableHttp', sse: 'sse' },
  fallsBack: false,
  rows: {
    ...COMMON,
    cwd: 'cwd',
    timeout: seconds('timeout', 'timeout'),
    'oauth.clientId': 'oauthClient.clientId',
    'oauth.clientSecret': 'oauthClient.clientSecret',
    enabled: disabled,
  },
  spelling: ENV_PREFIX,
  values: 'literal',
}

export const crush: Writer = {
  dialect: 'crush',
  types: { stdio: 'stdio', http: 'http', auto: 'http', sse: 'sse' },
  fallsBack: false,
  rows: {
    ...COMMON,
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
