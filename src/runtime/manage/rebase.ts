/**
 * rebase: a server that moves to another file, with its relative paths leading where they led.
 *
 * in     a definition, where its paths begin, and where they will
 * out    the definition with those paths changed, and which fields they are
 * never  changes arguments, whose meaning the server alone knows: it gives the server the folder they were meant for
 */
import type { ServerDefinition, StdioTransport } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'
import type { World } from '../../world/world.ts'

export interface Move {
  readonly from: string
  readonly to: string
  /**
   * `within` a project, paths stay relative. `out` of one, they must not: in another repository they would lead to what
   * that one has there, and run it without a question. `between` files of the user, they mean whatever project one is in.
   */
  readonly kind: 'within' | 'out' | 'between'
}

export interface Rebased {
  readonly definition: ServerDefinition
  /** Fields that had to be changed. */
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

/** A program is looked for in the folder of the server, when it has one; by its name alone, on the search path. */
function isRelative(transport: StdioTransport, field: PathField, { paths }: Files): boolean {
  const [first] = transport[field] ?? []
  if (typeof first !== 'string' || paths.isAbsolute(first) || /^~(?:[/\\]|$)/.test(first)) return false
  return field !== 'command' || (transport.cwd === undefined && /[/\\]/.test(first))
}

/** `./server.js`, or the name of something that is there. */
function hasRelativeArgument({ args }: StdioTransport, from: string, { paths, files }: Files): boolean {
  return args.some(([first]) => {
    if (typeof first !== 'string' || paths.isAbsolute(first)) return false
    return /^\.{1,2}(?:[/\\]|$)/.test(first) || files.kind(paths.join(from, first)) !== 'missing'
  })
}

function moveTemplate([first, ...rest]: Template, { from, to, kind }: Move, { paths }: Files): Template {
  // What follows may go on in the same folder: `./bin/${NAME}`.
  const isOpen = rest.length > 0 && /[/\\]$/.test(first as string)
  const whole = paths.resolve(from, first as string)
  const moved = kind === 'within' ? toDotted(paths.relative(to, whole), paths.sep) : whole
  return [isOpen ? moved + paths.sep : moved, ...rest]
}

/** A path, and no program on the search path. */
function toDotted(path: string, sep: string): string {
  return /^\.{1,2}(?:[/\\]|$)/.test(path) ? path : `.${path === '' ? '' : sep + path}`
}
