/**
 * show-fate: what became of an entry, and who decided it, in the words and colours of every listing.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { toPrintable } from '../../base/printable.ts'
import type { CatalogEntry, Fate, FateKind } from '../../model/catalog.ts'
import type { Platform } from '../../world/world.ts'
import type { DeciderJson } from './entry-json.ts'
import type { Brush, Paint } from './paint.ts'
import { showOwner, showSpot, type Here } from './show-path.ts'

export function fateBrush(kind: FateKind, paint: Paint): Brush {
  switch (kind) {
    case 'chosen':
      return paint.green
    case 'untrusted':
    case 'unsupported':
      return paint.yellow
    case 'invalid':
    case 'denied':
    case 'not-allowed':
      return paint.red
    case 'shadowed':
    case 'duplicate':
    case 'disabled':
    case 'excluded':
    case 'declined':
      return paint.dim
  }
}

/** `rule …, ~/.claude.json:14:5   (Claude Code, user scope)`, or undefined when nobody but the entry decided. */
export function showDecider(fate: Fate, here: Here): string | undefined {
  if (!('by' in fate) || fate.by === undefined) return undefined
  const { name, rule, file, line, column, source, scope }: DeciderJson = fate.by
  const position = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
  const owner = showOwner({
    ...(source === undefined ? {} : { source }),
    ...(scope === undefined ? {} : { scope }),
  })
  const words = [
    ...(name === undefined ? [] : [`\`${toPrintable(name)}\``]),
    ...(rule === undefined ? [] : [`rule \`${toPrintable(rule)}\``]),
    ...(file === undefined ? [] : [showSpot({ file, ...position }, here)]),
  ].join(', ')
  return owner === '' ? words : `${words}   (${owner})`
}

/** The command that lets an entry run which waits for approval; undefined when that is not what it needs. */
export function approvalCommand({ entry, fate }: CatalogEntry, platform: Platform): string | undefined {
  // One that is broken as well must be mended first.
  if (fate.kind !== 'untrusted' || entry.kind !== 'definition') return undefined
  return toPrintable(toCommandLine('plugboard trust approve', [entry.found.name], platform))
}
