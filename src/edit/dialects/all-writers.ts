/**
 * all-writers: who writes which agent's entries.
 */
import type { SourceId } from '../../model/origin.ts'
import { codex } from './codex.ts'
import { goose } from './goose.ts'
import {
  agentCode,
  claudeCode,
  claudeDesktop,
  cline,
  copilot,
  crush,
  cursor,
  gemini,
  mcpJson,
  opencode,
  plugboard,
  vscode,
  windsurf,
  xCode,
  xcsh,
} from './mcp-servers.ts'
import type { Writer } from './writer.ts'

/** Agent Plugins are folders that somebody publishes, not a place for a user's servers. */
export type WritableSource = Exclude<SourceId, 'agent-plugins'>

export const WRITERS: Readonly<Record<WritableSource, Writer>> = {
  plugboard,
  xcsh,
  'oh-my-pi': xcsh,
  'x-code': xCode,
  'agent-code': agentCode,
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  copilot,
  cursor,
  windsurf,
  vscode,
  cline,
  goose,
  crush,
  'claude-desktop': claudeDesktop,
  'mcp-json': mcpJson,
}
