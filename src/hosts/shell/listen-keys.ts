/** listen-keys: sends the keys of a terminal to the store. */
import type { Terminal, World } from '../../world/world.ts'
import { PASTE, readKeys } from './keys.ts'
import type { Store } from './store.ts'

/** How long Esc may be the beginning of a sequence. */
const ESCAPE_MS = 40
/** How long a pasted text may pause. */
const PASTE_MS = 2000

/** The returned function restores the terminal. */
export function listenKeys(
  store: Store,
  { world: { clock }, terminal }: { readonly world: World; readonly terminal: Terminal },
): () => void {
  let rest = ''
  let cancel: () => void = () => undefined
  const take = (input: string, isOver: boolean): void => {
    const read = readKeys(input, isOver)
    rest = read.rest
    for (const key of read.keys) store.send({ type: 'key', key, at: clock.now() })
  }
  const stop = terminal.onKeys((chunk) => {
    cancel()
    take(rest + chunk, false)
    const patienceMs = rest.startsWith(PASTE) ? PASTE_MS : ESCAPE_MS
    if (rest !== '') cancel = clock.after(patienceMs, () => take(rest, true), 'loose')
  })
  return () => {
    cancel()
    stop()
  }
}
