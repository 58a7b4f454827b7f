/**
 * permit-reading: decides whether a user, or a client of the gateway, may read resources and prompts of a server.
 *
 * in     the permissions for calls, what is to be read, the server
 * out    a problem that says who denies it, as for a model that would read the same; undefined when it is allowed
 * never  asks the user: the request itself is the answer
 */
import type { Evidence, Permission, Permissions } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { denyBuiltin } from '../pipeline/permit/permit-builtin.ts'
import { denied } from '../pipeline/permit/problems.ts'
import type { Platform } from '../world/world.ts'

/** Our own tool that a model would use for the same. */
export type Reading = 'readMcpResource' | 'getMcpPrompt'

export function denyReading(
  permissions: Permissions,
  what: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Problem | undefined {
  const permission = permitReading(permissions, what, platform)
  return permission.kind === 'denied' ? permission.problem : undefined
}

/** Like `denyReading`, and also says who decided, for callers that record it. */
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
