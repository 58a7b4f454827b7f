/**
 * show-fate: the fate of an entry, and who decided it, in the words and colours of every listing.
 */
import { toPrintable } from '../../base/printable.ts'
import type { CatalogEntry, Fate, FateKind } from '../../model/catalog.ts'
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

/** `rule …, ~/.claude.json:14:5   (Claude Code, user scope)`, or undefined when the entry itself decided. */
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

/** The hint for an entry that waits for approval. The user must fix a broken entry first. */
export function trustHint({ entry, fate }: CatalogEntry): readonly string[] {
  return fate.kind === 'untrusted' && entry.kind === 'definition'
    ? ['to look at it and decide, run `plugboard trust`']
    : []
}
