/**
 * rebase: changes the relative paths of a server that moves to another file, so that they lead to the same files.
 *
 * in     a definition, the folder where its paths begin, and the new folder
 * out    the definition with changed paths, and the names of the changed fields
 * never  changes arguments, whose meaning only the server knows: it sets the folder in which the server ran before
 */
import type { ServerDefinition, StdioTransport } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'
import type { World } from '../../world/world.ts'

export interface Move {
  readonly from: string
  readonly to: string
  /**
   * `within` a project, paths stay relative. `out` of a project, they become absolute: in another repository a relative
   * path would lead to that repository's files, and run them without a question. `between` files of the user, a
   * relative path means the current project.
   */
  readonly kind: 'within' | 'out' | 'between'
}

export interface Rebased {
  readonly definition: ServerDefinition
  /** The names of the changed fields. */
  readonly moved: readonly string[]
}

type PathField = 'command' | 'cwd' | 'envFile'

type Files = Pick<World, 'paths' | 'files'>

export function rebase(definition: ServerDefinition, move: Move, world: Files): Rebased {
  const { transport } = definition
  const isStaying = move.from === move.to && move.kind !== 'out'
  if (transport.type !== 'stdio' || isStaying) return { definition, moved: [] }
  const changed: Partial<Record<PathField, Template>> = {}
  for (const field of ['command', 'cwd', 'envFile'] as const) {
    if (isRelative(transport, field, world)) changed[field] = moveTemplate(transport[field]!, move, world)
  }
  if (move.kind === 'out' && transport.cwd === undefined && hasRelativeArgument(transport, move.from, world))
    changed.cwd = [move.from]
  return {
    definition: { ...definition, transport: { ...transport, ...changed } },
    moved: Object.keys(changed),
  }
}

/**
 * A program with a path is looked up in the folder of the server, when it has one. A bare name is looked up on the
 * search path.
 */
function isRelative(transport: StdioTransport, field: PathField, { paths }: Files): boolean {
  const [first] = transport[field] ?? []
  if (typeof first !== 'string' || paths.isAbsolute(first) || /^~(?:[/\\]|$)/.test(first)) return false
  return field !== 'command' || (transport.cwd === undefined && /[/\\]/.test(first))
}

/** `./server.js`, or the name of an existing file. */
function hasRelativeArgument({ args }: StdioTransport, from: string, { paths, files }: Files): boolean {
  return args.some(([first]) => {
    if (typeof first !== 'string' || paths.isAbsolute(first)) return false
    return /^\.{1,2}(?:[/\\]|$)/.test(first) || files.kind(paths.join(from, first)) !== 'missing'
  })
}

function moveTemplate([first, ...rest]: Template, { from, to, kind }: Move, { paths }: Files): Template {
  // The next part may continue in the same folder: `./bin/${NAME}`.
  const isOpen = rest.length > 0 && /[/\\]$/.test(first as string)
  const whole = paths.resolve(from, first as string)
  const moved = kind === 'within' ? toDotted(paths.relative(to, whole), paths.sep) : whole
  return [isOpen ? moved + paths.sep : moved, ...rest]
}

/** Makes it a path, so that it is not looked up on the search path. */
function toDotted(path: string, sep: string): string {
  return /^\.{1,2}(?:[/\\]|$)/.test(path) ? path : `.${path === '' ? '' : sep + path}`
}
