/**
 * confine: limits the influence of an untrusted folder on the user's own servers.
 *
 * `npx` obeys the `.npmrc` and the `node_modules/.bin` of the folder it starts in, and `python -m` loads modules from
 * there. So a server that the repository does not declare starts in an empty folder. A server whose entry leads into
 * the untrusted folder does not start.
 */
import type { Confinement } from '../../model/catalog.ts'
import type { StdioTransport } from '../../model/definition.ts'
import { originalText, type FoundEntry, type NormalizedEntry } from '../../model/entry.ts'
import { expandForComparison, isLiteral, showTemplate, type Template } from '../../model/template.ts'
import type { FolderTrust } from '../../model/trust.ts'
import { leadsInto, type Outside } from '../../world/untrusted-folder.ts'

export interface Ground {
  readonly folder: FolderTrust
  readonly world: Outside
}

/** Undefined: it starts in the folder of its entry, else in the project, with the user's environment. */
export function findConfinement(entry: NormalizedEntry, ground: Ground): Confinement | undefined {
  const { folder } = ground
  if (entry.kind !== 'definition' || folder.decision === 'trusted') return undefined
  if (entry.found.origin.scope === 'project') return undefined
  const { transport } = entry.definition
  const confined = { folder: folder.path, names: folder.names }
  if (transport.type !== 'stdio') return { start: 'elsewhere', ...confined }
  const leading = findLeadingField(transport, entry.found, ground)
  if (leading !== undefined) return { start: 'refused', ...confined, ...leading }
  return { start: transport.cwd === undefined ? 'empty-folder' : 'elsewhere', ...confined }
}

/** `.`, `./x`, `..\x`, and the same behind a flag: `--root=.` */
export function isRelativePath(text: string): boolean {
  return /^(?:--?[\w-]+=)?\.{1,2}(?:[/\\]|$)/.test(text)
}

interface LeadingField {
  readonly field: string
  readonly value: string
}

/** The first field that leads into the untrusted folder without naming it. */
function findLeadingField(
  { command, args, env, envFile, cwd }: StdioTransport,
  found: FoundEntry,
  ground: Ground,
): LeadingField | undefined {
  // A path that the user wrote in full is the user's own decision.
  const isLeading = createLeadingTest(found, ground)
  const isLeadingPath = (path: Template): boolean => isLeading(path) || isRelativeHere(path, found, ground)
  const isPath = /[/\\]/.test(showTemplate(command))
  const isLeadingArgument = (arg: Template): boolean =>
    isLeading(arg) || (cwd === undefined && isRelativePath(textOf(arg, ground)))
  const fields: readonly (readonly [string, Template | undefined, (value: Template) => boolean])[] = [
    ['command', isPath ? command : undefined, isLeadingPath],
    ['cwd', cwd, isLeadingPath],
    ['envFile', envFile, isLeadingPath],
    ...args.map((arg, i) => [`args[${i}]`, arg, isLeadingArgument] as const),
    ...[...env].map(([name, value]) => [`env.${name}`, value, isLeading] as const),
  ]
  const leading = fields.find(([, value, leads]) => value !== undefined && leads(value))
  return leading === undefined ? undefined : { field: leading[0], value: showTemplate(leading[1]!) }
}

/**
 * Whether a variable, such as `${PWD}` or `${workspaceFolder}`, leads a value into the untrusted folder. `PATH` does
 * not count, because `envWithout` removes its folders.
 */
function createLeadingTest(found: FoundEntry, ground: Ground): (value: Template) => boolean {
  const { folder, world } = ground
  const text = originalText(found)
  const words = Object.entries(found.variables)
  const namesFolder = words.some(
    ([name, value]) => text.includes(`\${${name}`) && leadsInto(folder, value, world),
  )
  return (value) => {
    const variables = value.flatMap((part) =>
      typeof part === 'object' && part.kind === 'env' && part.name.toUpperCase() !== 'PATH'
        ? [world.env[part.name] ?? part.fallback ?? '']
        : [],
    )
    if (variables.some((one) => leadsInto(folder, one, world))) return true
    if (isLiteral(value) ? !namesFolder : variables.length === 0) return false
    return folder.names.some((name) => mentions(textOf(value, ground), name))
  }
}

/** Compares whole paths: `--require /src/shop/x.js` mentions `/src/shop`, and `/src/shopping` does not. */
function mentions(text: string, folder: string): boolean {
  const at = text.indexOf(folder)
  if (at === -1) return false
  const next = text[at + folder.length]
  return next === undefined || !/[\w.-]/.test(next) || mentions(text.slice(at + 1), folder)
}

/** A path that begins in the folder of its file, if that is the untrusted one. */
function isRelativeHere(path: Template, { baseDir }: FoundEntry, ground: Ground): boolean {
  const { folder, world } = ground
  const text = textOf(path, ground)
  if (world.paths.isAbsolute(text) || /^~(?:[/\\]|$)/.test(text)) return false
  return world.files.realPath(baseDir) === folder.path || leadsInto(folder, baseDir, world)
}

function textOf(value: Template, { world }: Ground): string {
  return expandForComparison(value, world.env)
}
