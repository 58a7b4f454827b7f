/**
 * all-sources: every agent tool that Plugboard knows, in the order of their rank.
 */
import type { Source } from './source.ts'
import { agentCode } from './sources/agent-code.ts'
import { agentPlugins } from './sources/agent-plugins.ts'
import { claudeCode } from './sources/claude-code.ts'
import { claudeDesktop } from './sources/claude-desktop.ts'
import { cline } from './sources/cline.ts'
import { codex } from './sources/codex.ts'
import { copilot } from './sources/copilot.ts'
import { crush } from './sources/crush.ts'
import { cursor } from './sources/cursor.ts'
import { gemini } from './sources/gemini.ts'
import { goose } from './sources/goose.ts'
import { mcpJson } from './sources/mcp-json.ts'
import { ohMyPi } from './sources/oh-my-pi.ts'
import { opencode } from './sources/opencode.ts'
import { plugboard } from './sources/plugboard.ts'
import { vscode } from './sources/vscode.ts'
import { windsurf } from './sources/windsurf.ts'
import { xCode } from './sources/x-code.ts'
import { xcsh } from './sources/xcsh.ts'

export const ALL_SOURCES: readonly Source[] = [
  plugboard,
  xcsh,
  ohMyPi,
  xCode,
  agentCode,
  claudeCode,
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
  claudeDesktop,
  mcpJson,
  agentPlugins,
]
