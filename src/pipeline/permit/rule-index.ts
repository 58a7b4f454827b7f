/**
 * rule-index: finds the rules that name a tool, without testing each of a thousand.
 *
 * in     rules, and a tool with all its names
 * out    the matching rules, strictest first; among equals, the highest level first
 * never  lets a tool avoid a rule that denies or asks: those match every form of its name, in any style, case or
 *        alphabet. Never lets a tool with a similar name use a rule that allows: those match exactly
 */
import { hasWildcard, matchesPattern, parseGlob } from '../../base/glob.ts'
import { foldLookAlikes } from '../../base/look-alike.ts'
import type { CallTarget, PermissionRule } from '../../model/permission.ts'

export function matchRules(rules: readonly PermissionRule[], target: CallTarget): readonly PermissionRule[] {
  const index = indexOf(rules)
  const names = namesOf(target)
  const folded = new Set([...names].map(foldLookAlikes))
  const found = new Set<IndexedRule>()
  for (const name of folded) {
    for (const rule of index.exact.get(name) ?? []) found.add(rule)
    for (const length of index.prefixLengths) {
      if (length > name.length) break
      for (const rule of index.prefixes.get(name.slice(0, length)) ?? []) found.add(rule)
    }
  }
  for (const { rule, pattern, folded: wanted } of index.others) {
    // A `?` stands for one character, and folding may turn one into none or two.
    const isMatch = someMatches(wanted, folded) || (pattern.includes('?') && someMatches(pattern, names))
    if (isMatch) found.add(rule)
  }
  return [...found]
    .filter(({ rule, patterns }) => rule.action !== 'allow' || patterns.some((one) => allows(one, target)))
    .sort((a, b) => a.rank - b.rank)
    .map(({ rule }) => rule)
}

/** Whether a list of globs names the tool, as exactly as a rule that allows must. */
export function isNamed(globs: readonly string[], target: CallTarget): boolean {
  return globs.some((glob) => (parseGlob(glob) ?? []).some((pattern) => allows(pattern, target)))
}

interface IndexedRule {
  readonly rule: PermissionRule
  readonly patterns: readonly string[]
  /** The smaller rank decides. */
  readonly rank: number
}

/** By folded pattern. For a rule that allows, a match is only a candidate. */
interface RuleIndex {
  readonly exact: Map<string, IndexedRule[]>
  /** Patterns whose only wildcard is a final `*`, stored without it. */
  readonly prefixes: Map<string, IndexedRule[]>
  readonly prefixLengths: readonly number[]
  readonly others: readonly {
    readonly rule: IndexedRule
    readonly pattern: string
    readonly folded: string
  }[]
}

const INDEXES = new WeakMap<readonly PermissionRule[], RuleIndex>()

function indexOf(rules: readonly PermissionRule[]): RuleIndex {
  const known = INDEXES.get(rules)
  if (known !== undefined) return known
  const index = toIndex(rules.map(toIndexed))
  INDEXES.set(rules, index)
  return index
}

const STRICTNESS = { deny: 0, ask: 1, allow: 2 }
const HEIGHT = { managed: 0, local: 1, user: 2, project: 3, session: 4 }

function toIndexed(rule: PermissionRule, at: number): IndexedRule {
  // The reader of the settings refuses invalid globs. If one arrives here, it allows nothing and denies everything.
  const patterns = parseGlob(rule.tool) ?? (rule.action === 'allow' ? [] : ['*'])
  return { rule, patterns, rank: (STRICTNESS[rule.action] * 8 + HEIGHT[rule.level]) * 1e6 + at }
}

function toIndex(rules: readonly IndexedRule[]): RuleIndex {
  const exact = new Map<string, IndexedRule[]>()
  const prefixes = new Map<string, IndexedRule[]>()
  const others: { rule: IndexedRule; pattern: string; folded: string }[] = []
  const put = (map: Map<string, IndexedRule[]>, key: string, rule: IndexedRule): void => {
    const list = map.get(key)
    if (list === undefined) map.set(key, [rule])
    else list.push(rule)
  }
  for (const rule of rules) {
    for (const pattern of rule.patterns) {
      const folded = foldLookAlikes(pattern)
      const prefix = folded.slice(0, -1)
      if (!hasWildcard(folded)) put(exact, folded, rule)
      else if (folded.endsWith('*') && !hasWildcard(prefix)) put(prefixes, prefix, rule)
      else others.push({ rule, pattern, folded })
    }
  }
  const lengths = new Set([...prefixes.keys()].map(({ length }) => length))
  return { exact, prefixes, prefixLengths: [...lengths].sort((a, b) => a - b), others }
}

function someMatches(pattern: string, names: Iterable<string>): boolean {
  for (const name of names) if (matchesPattern(pattern, name)) return true
  return false
}

/** All names by which a rule may forbid this tool, including its whole server. */
function namesOf({ server, tool, name, otherNames }: CallTarget): ReadonlySet<string> {
  const names = new Set([name, ...otherNames])
  for (const form of FORMS) {
    const [one, other] = [form(server), form(tool)]
    names.add(`mcp__${one}`).add(`mcp__${one}__${other}`).add(`${one}__${other}`).add(`mcp_${one}_${other}`)
  }
  return names
}

/** As it is; as it is shown, without the hash that separates it from tools of the same name; and as it is read. */
const FORMS: readonly ((part: string) => string)[] = [
  (part) => part,
  toSafe,
  (part) => toSafe(foldLookAlikes(part).trim()),
]

function toSafe(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/**
 * Compares a pattern `mcp__<server>__<tool>` part by part. A comparison of joined names would give the server
 * `github__x` the rights of `github`. A whole pattern is compared only with a name that no other tool can have.
 */
function allows(pattern: string, { server, tool, name }: CallTarget): boolean {
  if (pattern === name) return true
  const parts = splitPattern(pattern)
  if (parts !== undefined && matchesPattern(parts.server, server)) {
    if (parts.tool === undefined || matchesPattern(parts.tool, tool)) return true
  }
  const isWhole = [`mcp__${server}__${tool}`, `${server}__${tool}`, `mcp_${server}_${tool}`].includes(name)
  return isWhole && hasWildcard(pattern) && matchesPattern(pattern, name)
}

/**
 * The server ends at the first `__`: a name with another split always shows a hash. Without `__`, the pattern is the
 * whole server.
 */
function splitPattern(
  pattern: string,
): { readonly server: string; readonly tool: string | undefined } | undefined {
  if (!pattern.startsWith('mcp__')) return undefined
  const rest = pattern.slice('mcp__'.length)
  const end = rest.indexOf('__')
  return end === -1
    ? { server: rest, tool: undefined }
    : { server: rest.slice(0, end), tool: rest.slice(end + 2) }
}
