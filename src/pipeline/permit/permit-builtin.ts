/**
 * permit-builtin: may a tool of our own run?
 *
 * in     everything that was said about calls, and the tool
 * out    who says no; undefined when nobody does
 * never  asks: they change nothing. What a fork was given counts when it names the tool itself; a denial also when it
 *        names the server that would be read, as a whole or with all its tools
 */
import { matchesPattern, parseGlob } from '../../base/glob.ts'
import { foldLookAlikes } from '../../base/look-alike.ts'
import type { Evidence, Permissions } from '../../model/permission.ts'

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
  const names = server === undefined ? [name] : [name, `mcp__${server}`, `mcp__${server}__${name}`]
  const rule = rules.find(({ action, tool }) => action === 'deny' && names.some((one) => forbids(tool, one)))
  if (rule !== undefined) return { kind: 'rule', rule }
  if (!filters.every((globs) => globs.some((glob) => grants(glob, name)))) return { kind: 'filter' }
  if (mode !== 'plan' || access === 'list') return undefined
  return { kind: 'mode', mode, ...(plan === undefined ? {} : { by: plan }) }
}

/** Whatever the name could be taken for. What is no glob spares nobody. */
function forbids(glob: string, name: string): boolean {
  const folded = foldLookAlikes(name)
  return (parseGlob(glob) ?? ['*']).some(
    (pattern) => matchesPattern(pattern, name) || matchesPattern(foldLookAlikes(pattern), folded),
  )
}

function grants(glob: string, name: string): boolean {
  return (parseGlob(glob) ?? []).some((pattern) => matchesPattern(pattern, name))
}
