/**
 * confine: what a folder that its user does not trust may do to the user's own servers.
 *
 * `npx` obeys the `.npmrc` and the `node_modules/.bin` of the folder it starts in, `python -m` takes modules from there.
 * So a server that the repository does not declare starts in an empty folder, and one whose entry leads into the
 * untrusted folder does not start.
 */
import type { Confinement } from '../../model/catalog.ts'
import type { StdioTransport } from '../../model/definition.ts'
import { originalText, type FoundEntry, type NormalizedEntry } from '../../model/entry.ts'
import { expandForComparison, isLiteral, showTemplate, type Template } from '../../model/template.ts'
import type { FolderTrust } from '../../model/trust.ts'
import { isInside } from '../../world/is-inside.ts'
import type { Env, Paths } from '../../world/world.ts'

export interface Ground {
  readonly folder: FolderTrust
  readonly paths: Paths
  readonly env: Env
}

/** Undefined: it starts where its entry says, else in the project. */
export function findConfinement(entry: NormalizedEntry, ground: Ground): Confinement | undefined {
  if (entry.kind !== 'definition' || ground.folder.decision === 'trusted') return undefined
  const { transport } = entry.definition
  if (transport.type !== 'stdio' || entry.found.origin.scope === 'project') return undefined
  const folder = ground.folder.path
  const leading = findLeadingField(transport, entry.found, ground)
  if (leading !== undefined) return { start: 'refused', folder, ...leading }
  return transport.cwd === undefined ? { start: 'empty-folder', folder } : undefined
}

/** `.`, `./x`, `..\x`, and the same behind a flag: `--root=.` */
export function isRelativePath(text: string): boolean {
  return /^(?:--?[\w-]+=)?\.{1,2}(?:[/\\]|$)/.test(text)
}

type LeadingField = Pick<Extract<Confinement, { start: 'refused' }>, 'field' | 'value'>

/** The first field that leads into the untrusted folder without naming it. */
function findLeadingField(
  transport: StdioTransport,
  found: FoundEntry,
  ground: Ground,
): LeadingField | undefined {
  const { command, args, env, envFile, cwd } = transport
  // A path that its user wrote out in full is their own decision.
  const leadsInside = createInsideTest(found, ground)
  const startsInside = (path: Template): boolean =>
    leadsInside(path) || (isRelativeFile(path, ground) && isWithin(found.baseDir, ground))
  const isPath = /[/\\]/.test(showTemplate(command))
  const fields: readonly (readonly [string, Template | undefined, (value: Template) => boolean])[] = [
    ['command', isPath ? command : undefined, startsInside],
    ['cwd', cwd, startsInside],
    ['envFile', envFile, startsInside],
    ...args.map(
      (arg, i) =>
        [
          `args[${i}]`,
          arg,
          (value: Template) =>
            leadsInside(value) || (cwd === undefined && isRelativePath(textOf(value, ground))),
        ] as const,
    ),
    ...[...env].map(([name, value]) => [`env.${name}`, value, leadsInside] as const),
  ]
  const leading = fields.find(([, value, leads]) => value !== undefined && leads(value))
  return leading === undefined ? undefined : { field: leading[0], value: showTemplate(leading[1]!) }
}

/** Whether a value becomes a path in the untrusted folder by a variable, such as `${PWD}` or `${workspaceFolder}`. */
function createInsideTest(found: FoundEntry, ground: Ground): (value: Template) => boolean {
  const namesFolder = Object.entries(found.variables).some(
    ([name, value]) => originalText(found).includes(`\${${name}`) && isWithin(value, ground),
  )
  return (value) => {
    if (isLiteral(value) && !namesFolder) return false
    const path = textOf(value, ground).replace(/^--?[\w-]+=/, '')
    return ground.paths.isAbsolute(path) && isWithin(path, ground)
  }
}

function isRelativeFile(path: Template, ground: Ground): boolean {
  const text = textOf(path, ground)
  return !ground.paths.isAbsolute(text) && !/^~(?:[/\\]|$)/.test(text)
}

function textOf(value: Template, { env }: Ground): string {
  return expandForComparison(value, env)
}

function isWithin(path: string, { folder, paths }: Ground): boolean {
  return folder.names.some((root) => isInside(paths, root, path))
}
