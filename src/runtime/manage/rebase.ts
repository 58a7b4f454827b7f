/**
 * rebase: a server that moves to a file elsewhere, with its relative paths leading where they led.
 *
 * in     a definition, where its paths begin, and where they will
 * out    the definition with those paths changed, and which they were
 * never  touches arguments: what they mean, the server alone knows
 */
import type { ServerDefinition, StdioTransport } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'
import type { Paths } from '../../world/world.ts'

export interface Move {
  readonly from: string
  readonly to: string
  /** In a file that others share, or that moves with its folder, a path stays relative. */
  readonly how: 'relative' | 'absolute'
}

export interface Rebased {
  readonly definition: ServerDefinition
  /** Fields that had to be changed. */
  readonly moved: readonly string[]
}

export function rebase(definition: ServerDefinition, move: Move, paths: Paths): Rebased {
  const { transport } = definition
  if (transport.type !== 'stdio' || move.from === move.to) return { definition, moved: [] }
  const changed: Partial<Record<'command' | 'cwd' | 'envFile', Template>> = {}
  for (const field of ['command', 'cwd', 'envFile'] as const) {
    const path = isRelative(transport, field, paths)
      ? moveTemplate(transport[field]!, move, paths)
      : undefined
    if (path !== undefined) changed[field] = path
  }
  return {
    definition: { ...definition, transport: { ...transport, ...changed } },
    moved: Object.keys(changed),
  }
}

/** A program is looked for in the folder of the server, when it has one; by its name alone, on the search path. */
function isRelative(transport: StdioTransport, field: 'command' | 'cwd' | 'envFile', paths: Paths): boolean {
  const [first] = transport[field] ?? []
  if (typeof first !== 'string' || paths.isAbsolute(first) || /^~(?:[/\\]|$)/.test(first)) return false
  return field !== 'command' || (transport.cwd === undefined && /[/\\]/.test(first))
}

function moveTemplate([first, ...rest]: Template, { from, to, how }: Move, paths: Paths): Template {
  // What follows may go on in the same folder: `./bin/${NAME}`.
  const isOpen = rest.length > 0 && /[/\\]$/.test(first as string)
  const whole = paths.resolve(from, first as string)
  const moved = how === 'absolute' ? whole : toDotted(paths.relative(to, whole), paths)
  return [isOpen ? moved + paths.sep : moved, ...rest]
}

/** A path, and no program on the search path. */
function toDotted(path: string, { sep }: Paths): string {
  return /^\.{1,2}(?:[/\\]|$)/.test(path) ? path : `.${path === '' ? '' : sep + path}`
}
