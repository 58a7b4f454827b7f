/**
 * entry: a server as some file declares it, before and after it was understood.
 */
import type { Problem } from './problem.ts'
import type { ServerDefinition } from './definition.ts'
import type { ConfigDocument, ConfigNode } from './document.ts'
import type { Origin, Spot } from './origin.ts'

/** How the fields of an entry are to be read. Mostly one per agent. */
export const DIALECTS = [
  'plugboard',
  'xcsh',
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
  'mcp-json',
  'claude-plugin',
  'agent-plugins',
  'connector',
] as const

export type DialectId = (typeof DIALECTS)[number]

export interface FoundEntry {
  readonly name: string
  readonly origin: Origin
  /** Precedence within its scope and source: the smaller rank wins. Between equals, the later in the file wins. */
  readonly rank: number
  /** A file for every user of the machine ranks below the user's own files, of whichever agent. */
  readonly reach: 'user' | 'machine'
  readonly dialect: DialectId
  readonly document: ConfigDocument
  readonly node: ConfigNode
  /** Values of the dialect's placeholders, such as `CLAUDE_PLUGIN_ROOT` or `workspaceFolder`. */
  readonly variables: Readonly<Record<string, string>>
  /** Relative commands and paths in the entry start here. */
  readonly baseDir: string
  /** Switched off, or back on, by a line outside the entry. */
  readonly switch?: Switch
  /** Set when the agent itself would not read this entry. The entry is kept, with the advice. */
  readonly unsupported?: Problem
}

/** The line that turned an entry off, or on again. */
export interface Switch {
  readonly to: 'on' | 'off'
  readonly by: Spot
  readonly reason: string
}

/** The text of the entry as it stands in its file. */
export function originalText(entry: FoundEntry): string {
  return entry.document.text.slice(entry.node.start, entry.node.end)
}

export type NormalizedEntry = { readonly found: FoundEntry; readonly warnings: readonly Problem[] } & Reading

export type Reading =
  | { readonly kind: 'definition'; readonly definition: ServerDefinition; readonly off?: Switch }
  | { readonly kind: 'invalid'; readonly type?: string; readonly problems: readonly Problem[] }
  | { readonly kind: 'unsupported'; readonly type?: string; readonly problem: Problem }
