/**
 * permit-reading: may a person, or a client of the gateway, read resources and prompts of a server?
 *
 * in     everything that was said about calls, what is to be read, the server
 * out    who says no, as for a model that would read the same; undefined when nobody does
 * never  asks: whoever types it has answered
 */
import type { Evidence, Permission, Permissions } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { denyBuiltin } from '../pipeline/permit/permit-builtin.ts'
import { denied } from '../pipeline/permit/problems.ts'
import type { Platform } from '../world/world.ts'

/** Our own tool that a model would use for it. */
export type Reading = 'readMcpResource' | 'getMcpPrompt'

export function denyReading(
  permissions: Permissions,
  what: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Problem | undefined {
  const permission = permitReading(permissions, what, platform)
  return permission.kind === 'denied' ? permission.problem : undefined
}

/** The same with who decided, for those who write it down. */
export function permitReading(
  permissions: Permissions,
  { tool, server }: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Permission {
  const by = denyBuiltin(permissions, { name: tool, access: 'read' }, server)
  return by === undefined
    ? { kind: 'allowed', isUnchanged: true }
    : { kind: 'denied', by, problem: problemOf(by, { tool, server }, platform) }
}

function problemOf(
  by: Evidence,
  { tool, server }: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Problem {
  const problem = denied({ server: '', tool, name: tool }, by, platform)
  const who = WHO[by.kind]
  const what = tool === 'readMcpResource' ? 'resources' : 'prompts'
  return who === undefined
    ? problem
    : { ...problem, message: `${who} does not allow ${what} of \`${server}\`` }
}

const WHO: Readonly<Partial<Record<Evidence['kind'], string>>> = { rule: 'policy', mode: 'plan mode' }
