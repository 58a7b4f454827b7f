/**
 * first-paint: draws the screen before ink is loaded, which takes longer than everything else.
 *
 * out    the lines, once, and a function that removes them
 */
import type { Terminal } from '../../../world/world.ts'
import type { ShellState } from '../state.ts'
import { blockLines } from './block-lines.ts'
import { liveLines } from './live-lines.ts'
import type { View } from './view.ts'

export function paintFirst(
  state: ShellState,
  { paint, here, terminal }: Omit<View, 'columns'> & { readonly terminal: Terminal },
): () => void {
  const view = { paint, here, columns: state.size.columns }
  const lines = [
    ...state.finished.flatMap(({ block }) => blockLines(block, view)),
    ...liveLines(state, view).lines,
  ]
  terminal.out(lines.map((line) => `${line}\r\n`).join(''))
  // Line by line: some terminals move a screen that is cleared at once into the scrollback.
  return () => terminal.out(`${'\x1b[1A\x1b[2K'.repeat(lines.length)}\r`)
}
