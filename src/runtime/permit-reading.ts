/**
 * permit-reading: may a person read resources and prompts of a server?
 *
 * in     everything that was said about calls, what is to be read, the server
 * out    who says no, as for a model that would read the same; undefined when nobody does
 * never  asks: whoever types it has answered
 */
import type { Evidence, Permissions } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { denyBuiltin } from '../pipeline/permit/permit-builtin.ts'
import { denied } from '../pipeline/permit/problems.ts'
import type { Platform } from '../world/world.ts'

/** Our own tool that a model would use for it. */
export type Reading = 'readMcpResource' | 'getMcpPrompt'

export function denyReading(
  permissions: Permissions,
  { tool, server }: { readonly tool: Reading; readonly server: string },
  platform: Platform,
): Problem | undefined {
  const by = denyBuiltin(permissions, { name: tool, access: 'read' }, server)
  if (by === undefined) return undefined
  const problem = denied({ server: '', tool, name: tool }, by, platform)
  const who = WHO[by.kind]
  const what = tool === 'readMcpResource' ? 'resources' : 'prompts'
  return who === undefined
    ? problem
    : { ...problem, message: `${who} does not allow ${what} of \`${server}\`` }
}

const WHO: Readonly<Partial<Record<Evidence['kind'], string>>> = { rule: 'policy', mode: 'plan mode' }
