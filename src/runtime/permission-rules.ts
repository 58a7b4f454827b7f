/**
 * permission-rules: writes rules about calls to settings files, and removes them.
 *
 * in     globs and an action, and the scope of the settings
 * out    the changes, and the file of each
 * never  loosens anything through a file in a repository; touches a file that cannot be parsed
 */
import { findNearest } from '../base/edit-distance.ts'
import { hasWildcard, matchesPattern, parseGlob } from '../base/glob.ts'
import { foldLookAlikes } from '../base/look-alike.ts'
import { planPutRules, planRemoveRules, type PutRule, type WrittenRule } from '../edit/permission-rules.ts'
import type { Action, Grant, PermissionRule } from '../model/permission.ts'
import type { Problem } from '../model/problem.ts'
import { mayName, toMeantName } from '../pipeline/normalize/permissions.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { bounds, editFile, previewEdit, type FileToEdit } from './edit-file.ts'
import { grantFile } from './grant-store.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { settingsFilesOf, settingsFileToWrite, settingsMode } from './settings-file.ts'
import { updateState } from './state-file.ts'

export const RULE_SCOPES = ['user', 'local', 'project'] as const

export type RuleScope = (typeof RULE_SCOPES)[number]

export interface RuleWritten {
  readonly tool: string
  readonly action: Action
  readonly file: string
  readonly done: PutRule
}

/** Throws `permit/bad-glob`, `permit/only-tightens`, and what `editFile` throws. */
export async function writeRules(
  world: World,
  loaded: LoadedCatalog,
  { scope, rules }: { readonly scope: RuleScope; readonly rules: readonly WrittenRule[] },
): Promise<readonly RuleWritten[]> {
  for (const { tool, action } of rules) {
    if (parseGlob(tool) === undefined) throw new ProblemError(badGlob(tool))
    if (!mayName(tool)) throw new ProblemError(namesNothing(tool))
    if (scope === 'project' && action === 'allow') throw new ProblemError(onlyTightens)
  }
  const file = settingsFileToWrite(world, loaded, scope)
  let done: readonly RuleWritten['done'][] = []
  const within = bounds(world, loaded, { scope, file })
  await editFile(world, { file, within, mode: settingsMode(scope) }, (value) => {
    const plan = planPutRules(value, rules)
    done = plan.done
    return plan.changes
  })
  return rules.map(({ tool, action }, i) => ({ tool, action, file, done: done[i]! }))
}

/** Existing rules that cover the new one and are stricter: they decide, whatever was written. */
export function findStricter(
  { permissions }: LoadedCatalog,
  { tool, action }: { readonly tool: string; readonly action: Action },
): readonly PermissionRule[] {
  const order: readonly Action[] = ['allow', 'ask', 'deny']
  return permissions.rules.filter(
    (rule) => order.indexOf(rule.action) > order.indexOf(action) && isCovered(rule.tool, tool),
  )
}

/**
 * Finds a server that a rule names and no file declares, with the server that the user may mean: a rule with a slip
 * forbids nothing.
 */
export function findUnknownServer(
  { catalog }: Pick<LoadedCatalog, 'catalog'>,
  glob: string,
): { readonly server: string; readonly nearest: string | undefined } | undefined {
  const known = catalog.entries.map(({ entry }) => entry.found.name)
  const starts = known.flatMap((name) => [name, name.replace(/[^A-Za-z0-9_-]/gu, '_')]).map(foldLookAlikes)
  for (const pattern of parseGlob(glob) ?? []) {
    const [, server] = /^mcp__((?:(?!__).)+)/is.exec(pattern) ?? []
    const rest = `${foldLookAlikes(pattern).slice('mcp__'.length)}__`
    if (server === undefined || hasWildcard(server) || starts.some((one) => rest.startsWith(`${one}__`)))
      continue
    return { server, nearest: findNearest(server, known) }
  }
  return undefined
}

export interface Reset {
  readonly rules: number
  readonly grants: number
}

/**
 * Removes rules that have these globs or are covered by them, and grants for tools that they name. Throws as
 * `writeRules`.
 */
export async function resetPermissions(
  world: World,
  loaded: LoadedCatalog,
  { globs, scope }: { readonly globs: readonly string[] | 'all'; readonly scope?: RuleScope | undefined },
): Promise<Reset> {
  const bad = globs === 'all' ? undefined : globs.find((glob) => parseGlob(glob) === undefined)
  if (bad !== undefined) throw new ProblemError(badGlob(bad))
  const isMeant = (tool: string): boolean => globs === 'all' || globs.some((glob) => isCovered(glob, tool))
  // Rules in a repository belong to its team. They are removed only when the caller names that scope.
  const scopes = scope === undefined ? (['user', 'local'] as const) : [scope]
  const files = scopes
    .flatMap((one) =>
      Object.values(settingsFilesOf(world, loaded, one)).map((file) => ({ scope: one, file })),
    )
    .filter(({ file }) => world.files.kind(file) !== 'missing')
    .map((one) => ({ file: one.file, within: bounds(world, loaded, one) }))
  // Previews every edit before it changes any file: half of the requested change is worse than none.
  for (const file of files) await previewEdit(world, file, (value) => planRemoveRules(value, isMeant).changes)
  let rules = 0
  for (const file of files) rules += await removeFrom(world, file, isMeant)
  const isGrantMeant = ({ server, tool }: Grant): boolean =>
    globs === 'all' || isMeant(`mcp__${server}__${tool}`) || isMeant(`mcp__${server}`)
  return { rules, grants: scope === undefined ? await removeGrants(world, loaded, isGrantMeant) : 0 }
}

async function removeFrom(
  world: World,
  file: FileToEdit,
  isMeant: (tool: string) => boolean,
): Promise<number> {
  let done = 0
  await editFile(world, file, (value) => {
    const plan = planRemoveRules(value, isMeant)
    done = plan.done
    return plan.changes
  })
  return done
}

async function removeGrants(
  world: World,
  { dirs }: LoadedCatalog,
  isMeant: (grant: Grant) => boolean,
): Promise<number> {
  const state = grantFile(world, dirs)
  if (world.files.kind(state.file) === 'missing') return 0
  let removed = 0
  await updateState(world, state, (stored) => {
    const kept = stored.grants.filter((grant) => !isMeant(grant))
    removed = stored.grants.length - kept.length
    return { ...stored, grants: kept }
  })
  return removed
}

/** Whether one glob covers another, as far as their texts show, or is the name of a whole server. */
function isCovered(glob: string, text: string): boolean {
  const wanted = foldLookAlikes(text)
  return (parseGlob(glob) ?? []).some((pattern) => {
    const folded = foldLookAlikes(pattern)
    const isServer = /^mcp__(?:(?!__).)+$/s.test(folded) && !hasWildcard(folded)
    return matchesPattern(folded, wanted) || (isServer && wanted.startsWith(`${folded}__`))
  })
}

function badGlob(tool: string): Problem {
  return createProblem({
    code: 'permit/bad-glob',
    message: `\`${tool}\` names no tools`,
    notes: ['`*` stands for anything, `?` for one character, `{a,b}` for one of several'],
    hints: ['for one tool write `mcp__<server>__<tool>`, for a whole server `mcp__<server>`'],
  })
}

function namesNothing(tool: string): Problem {
  const meant = toMeantName(tool)
  return createProblem({
    code: 'permit/bad-glob',
    message: `no tool is called \`${tool}\`: names are \`mcp__<server>__<tool>\``,
    hints: [
      meant.includes('__', 'mcp__'.length)
        ? `for one tool, write \`${meant}\``
        : `for every tool of the server \`${tool}\`, write \`${meant}\``,
    ],
  })
}

const onlyTightens = createProblem({
  code: 'permit/only-tightens',
  message: 'settings in a repository cannot allow anything',
  hints: ['for yourself, in this project alone: `--scope local`'],
})
