/**
 * startup-timeout-field: which field of an agent's file sets the time limit for a server's start, for hints that the
 * user can paste.
 */
import { findMember } from './document.ts'
import type { DialectId, FoundEntry } from './entry.ts'

export interface StartupTimeoutField {
  /** The keys, joined by dots. */
  readonly name: string
  readonly unit: 'milliseconds' | 'seconds'
}

/** The first is the one to suggest; an entry may have one of the others. A dialect without any has no such limit. */
export const STARTUP_TIMEOUT_FIELDS: Readonly<Record<DialectId, readonly StartupTimeoutField[]>> = {
  plugboard: [{ name: 'startupTimeout', unit: 'milliseconds' }],
  xcsh: [{ name: 'timeout', unit: 'milliseconds' }],
  'x-code': [],
  'agent-code': [],
  'claude-code': [],
  codex: [
    { name: 'startup_timeout_sec', unit: 'seconds' },
    { name: 'startup_timeout_ms', unit: 'milliseconds' },
  ],
  gemini: [],
  opencode: [
    { name: 'timeout', unit: 'milliseconds' },
    { name: 'timeout.startup', unit: 'milliseconds' },
  ],
  copilot: [],
  cursor: [],
  windsurf: [],
  vscode: [],
  cline: [],
  goose: [],
  crush: [{ name: 'timeout', unit: 'seconds' }],
  'mcp-json': [{ name: 'startupTimeout', unit: 'milliseconds' }],
  'claude-plugin': [],
  'agent-plugins': [],
  connector: [],
}

/** The field that this entry has, otherwise the one to add. Undefined: its dialect has none. */
export function startupTimeoutField({ dialect, node }: FoundEntry): StartupTimeoutField | undefined {
  const fields = STARTUP_TIMEOUT_FIELDS[dialect]
  return fields.findLast(({ name }) => isThere(node, name.split('.'))) ?? fields[0]
}

function isThere(node: FoundEntry['node'] | undefined, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return node !== undefined
  const member = node === undefined ? undefined : findMember(node, key)
  return member !== undefined && isThere(member.value, rest)
}
