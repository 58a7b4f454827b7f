/** all-writers: the writer for each agent's entries. */
import type { SourceId } from '../../model/origin.ts'
import { agentCode } from './agent-code.ts'
import { claudeCode, claudeDesktop, mcpJson } from './claude-code.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { crush } from './crush.ts'
import { cursor } from './cursor.ts'
import { gemini } from './gemini.ts'
import { goose } from './goose.ts'
import { opencode } from './opencode.ts'
import { plugboard, xcsh } from './plugboard.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'
import type { Writer } from './writer.ts'
import { xCode } from './x-code.ts'

/** Agent Plugins are folders that authors publish, not a place for a user's servers. */
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
