/**
 * startup-timeout-field: where an agent's file says how long a server may take to start, for hints that can be pasted.
 */
import { findMember } from './document.ts'
import type { DialectId, FoundEntry } from './entry.ts'

export interface StartupTimeoutField {
  /** With dots between the keys. */
  readonly name: string
  readonly unit: 'milliseconds' | 'seconds'
}

/** The one to write first; after it, others that an entry may have. Dialects without any have no limit for starting. */
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

/** The field that this entry has, else the one to add. Undefined: its dialect has none. */
export function startupTimeoutField({ dialect, node }: FoundEntry): StartupTimeoutField | undefined {
  const fields = STARTUP_TIMEOUT_FIELDS[dialect]
  return fields.findLast(({ name }) => isThere(node, name.split('.'))) ?? fields[0]
}

function isThere(node: FoundEntry['node'] | undefined, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return node !== undefined
  const member = node === undefined ? undefined : findMember(node, key)
  return member !== undefined && isThere(member.value, rest)
}
