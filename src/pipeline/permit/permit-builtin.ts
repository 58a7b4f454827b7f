/**
 * permit-builtin: decides whether a built-in tool may run.
 *
 * in     the permissions, and the tool
 * out    the evidence of a denial; undefined when nothing denies it
 * never  asks the user: these tools change nothing. A fork's allow list counts when it names the tool itself. A denial
 *        also counts when it names the server to read, as a whole or with all its tools, in any style
 */
import { matchesPattern, parseGlob } from '../../base/glob.ts'
import { foldLookAlikes } from '../../base/look-alike.ts'
import type { Evidence, PermissionRule, Permissions } from '../../model/permission.ts'
import { matchRules } from './rule-index.ts'

export interface OwnTool {
  readonly name: string
  /** `list`: reports what is known. `read`: sends a request to a server, which plan mode forbids. */
  readonly access: 'list' | 'read'
}

/** `server`: the server that the call is about, if there is one. */
export function denyBuiltin(
  permissions: Permissions,
  { name, access }: OwnTool,
  server?: string,
): Evidence | undefined {
  const { mode, plan, rules, filters, broken } = permissions
  if (broken !== undefined) return { kind: 'unreadable', problem: broken }
  const [rule] = denialsOf(rules, name, server)
  if (rule !== undefined) return { kind: 'rule', rule }
  if (!filters.every((globs) => isGiven(globs, name))) return { kind: 'filter' }
  if (mode !== 'plan' || access === 'list') return undefined
  return { kind: 'mode', mode, ...(plan === undefined ? {} : { by: plan }) }
}

/** The rules that deny it, by its own name, or by its name as a tool of the server that it reads. */
export function denialsOf(
  rules: readonly PermissionRule[],
  name: string,
  server?: string,
): readonly PermissionRule[] {
  const byName = rules.filter(({ action, tool }) => action === 'deny' && forbids(tool, name))
  if (server === undefined) return byName
  const definition = { name, inputSchema: {} }
  const target = { server, tool: name, name, otherNames: [], fingerprint: '', definition }
  const byServer = matchRules(rules, target).filter(({ action }) => action === 'deny')
  return [...new Set([...byName, ...byServer])]
}

/** Whether a fork may use it. */
export function isGiven(globs: readonly string[], name: string): boolean {
  return globs.some((glob) => (parseGlob(glob) ?? []).some((pattern) => matchesPattern(pattern, name)))
}

/** Compares every form of the name. An invalid glob forbids everything. */
function forbids(glob: string, name: string): boolean {
  const folded = foldLookAlikes(name)
  return (parseGlob(glob) ?? ['*']).some(
    (pattern) => matchesPattern(pattern, name) || matchesPattern(foldLookAlikes(pattern), folded),
  )
}
