/** origin: where a value was written. It stays with every value from the file to the screen. */

/** Lowest to highest: on a name conflict the later scope wins whole. */
export const SCOPES_LOW_TO_HIGH = [
  'connector',
  'plugin',
  'user',
  'project',
  'local',
  'dynamic',
  'managed',
] as const

export type Scope = (typeof SCOPES_LOW_TO_HIGH)[number]

/** Within one scope, first wins. */
export const SOURCES_HIGH_TO_LOW = [
  'plugboard',
  'xcsh',
  'oh-my-pi',
  'x-code',
  'agent-code',
  'claude-code',
  'codex',
  'gemini',
  'opencode',
  'copilot',
  'cursor',
  'windsurf',
  'vscode',
  'cline',
  'goose',
  'crush',
  'claude-desktop',
  'mcp-json',
  'agent-plugins',
] as const

export type SourceId = (typeof SOURCES_HIGH_TO_LOW)[number]

/** A place in a file. Lines and columns start at 1; both are absent when the whole file is meant. */
export interface Spot {
  /**
   * An absolute path; for fetched text, its URL without secrets; for text that the caller passed, `--mcp-config` or
   * `servers option`.
   */
  readonly file: string
  readonly line?: number
  readonly column?: number
}

export interface Origin extends Spot {
  readonly line: number
  readonly column: number
  readonly source: SourceId
  readonly scope: Scope
}

export const SOURCE_TITLES: Readonly<Record<SourceId, string>> = {
  plugboard: 'Plugboard',
  xcsh: 'xcsh',
  'oh-my-pi': 'oh-my-pi',
  'x-code': 'x-code',
  'agent-code': 'agent-code',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  copilot: 'Copilot CLI',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  vscode: 'VS Code',
  cline: 'Cline',
  goose: 'goose',
  crush: 'Crush',
  'claude-desktop': 'Claude Desktop',
  'mcp-json': 'mcp.json',
  'agent-plugins': 'Agent Plugins',
}
