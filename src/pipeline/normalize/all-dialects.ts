/**
 * all-dialects: the table of readers for each dialect.
 */
import type { DialectId } from '../../model/entry.ts'
import type { Dialect } from './draft.ts'
import { agentCode } from './dialects/agent-code.ts'
import { agentPlugins } from './dialects/agent-plugins.ts'
import { claudeCode, claudePlugin, mcpJson } from './dialects/claude-code.ts'
import { cline } from './dialects/cline.ts'
import { codex } from './dialects/codex.ts'
import { connector } from './dialects/connector.ts'
import { copilot } from './dialects/copilot.ts'
import { crush } from './dialects/crush.ts'
import { cursor } from './dialects/cursor.ts'
import { gemini } from './dialects/gemini.ts'
import { goose } from './dialects/goose.ts'
import { opencode } from './dialects/opencode.ts'
import { plugboard, xcsh } from './dialects/plugboard.ts'
import { vscode } from './dialects/vscode.ts'
import { windsurf } from './dialects/windsurf.ts'
import { xCode } from './dialects/x-code.ts'

const ALL: readonly Dialect[] = [
  plugboard,
  xcsh,
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
  mcpJson,
  claudePlugin,
  agentPlugins,
  connector,
]

const BY_ID = new Map(ALL.map((dialect) => [dialect.id, dialect]))

export function dialectOf(id: DialectId): Dialect {
  return BY_ID.get(id)!
}
