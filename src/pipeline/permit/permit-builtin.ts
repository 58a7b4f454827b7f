/**
 * permit-builtin: may a tool of our own run?
 *
 * in     everything that was said about calls, and the tool
 * out    who says no; undefined when nobody does
 * never  asks: they change nothing. What a fork was given counts when it names the tool itself; a denial also when it
 *        names the server that would be read, as a whole or with all its tools, in any style
 */
import { matchesPattern, parseGlob } from '../../base/glob.ts'
import { foldLookAlikes } from '../../base/look-alike.ts'
import type { Evidence, PermissionRule, Permissions } from '../../model/permission.ts'
import { matchRules } from './rule-index.ts'

export interface OwnTool {
  readonly name: string
  /** `list`: says what is known. `read`: asks a server, which plan mode forbids. */
  readonly access: 'list' | 'read'
}

/** `server`: whom it is about, when it is about one. */
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

/** The rules that deny it: by its own name, or as they would deny a tool of its name to the server that it is about. */
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

/** Whether a fork was given it. */
export function isGiven(globs: readonly string[], name: string): boolean {
  return globs.some((glob) => (parseGlob(glob) ?? []).some((pattern) => matchesPattern(pattern, name)))
}

/** Whatever the name could be taken for. What is no glob spares nobody. */
function forbids(glob: string, name: string): boolean {
  const folded = foldLookAlikes(name)
  return (parseGlob(glob) ?? ['*']).some(
    (pattern) => matchesPattern(pattern, name) || matchesPattern(foldLookAlikes(pattern), folded),
  )
}
