/** claude-code: the format that most READMEs use, and its relatives: the shared root files, and Claude Desktop. */
import { COMMON_ROWS, OUR_ROWS } from './plugboard.ts'
import { NO_REFERENCES, SHELL_LIKE } from './spelling.ts'
import { between, joined, unheeded, type Writer } from './writer.ts'

export const claudeCode: Writer = {
  dialect: 'claude-code',
  types: { stdio: 'stdio', http: 'http', auto: 'http', sse: 'sse', ws: 'ws' },
  fallsBack: false,
  rows: {
    ...COMMON_ROWS,
    headersHelper: 'headersHelper',
    'oauth.clientId': 'oauth.clientId',
    'oauth.callbackPort': 'oauth.callbackPort',
    'oauth.authServerMetadataUrl': 'oauth.authServerMetadataUrl',
    'oauth.scopes': joined('oauth.scopes'),
    // Claude Code treats a limit below a second as a mistake.
    timeout: between('timeout', 'timeout', { from: 1000, to: Number.MAX_SAFE_INTEGER }),
  },
  spelling: SHELL_LIKE,
  values: 'literal',
}

/**
 * The root files, which many agents read and none owns: in the syntax of Claude Code, and in ours where it has none.
 */
export const mcpJson: Writer = {
  ...claudeCode,
  dialect: 'mcp-json',
  types: { ...claudeCode.types, stdio: null },
  rows: {
    ...OUR_ROWS,
    ...claudeCode.rows,
    enabled: unheeded('is read by agents that do not heed `disabled`: there it is on'),
  },
}

/** Its file only starts servers. The user adds remote servers in its own settings. */
export const claudeDesktop: Writer = {
  dialect: 'mcp-json',
  types: { stdio: null },
  fallsBack: false,
  rows: { command: 'command', args: 'args', env: 'env', enabled: unheeded() },
  spelling: NO_REFERENCES,
  values: 'literal',
}
