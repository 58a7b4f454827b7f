/**
 * open-screen: the screen on a terminal, and the keys that come from it.
 */
import { render } from 'ink'
import type { World, Terminal } from '../../../world/world.ts'
import type { Paint } from '../../shared/paint.ts'
import { readKeys } from '../keys.ts'
import type { Front } from '../session.ts'
import type { Store } from '../store.ts'
import { App } from './app.tsx'

export interface OpenScreen extends Front {
  /** The terminal is the user's again. */
  close(): void
}

/** How long Esc may be the beginning of something. */
const ESCAPE_MS = 40

export function openScreen(
  store: Store,
  { world, terminal, paint }: { readonly world: World; readonly terminal: Terminal; readonly paint: Paint },
): OpenScreen {
  const stopKeys = listen(store, world, terminal)
  let write: (text: string) => void = () => undefined
  const app = render(
    <App store={store} view={{ paint, here: world }} onReady={(ready) => (write = ready)} />,
    { exitOnCtrlC: false, patchConsole: false },
  )
  let clearings = 0
  const stopClearing = store.onChange(() => {
    if (store.state().clearings === clearings) return
    clearings = store.state().clearings
    write(CLEAR)
  })
  return {
    draw: (sequence) => write(sequence),
    close() {
      stopClearing()
      store.send({ type: 'left' })
      stopKeys()
      app.unmount()
    },
  }
}

/** The screen and what has scrolled away, as `clear` does. */
const CLEAR = '\x1b[2J\x1b[3J\x1b[H'

function listen(store: Store, { clock }: World, terminal: Terminal): () => void {
  let rest = ''
  let cancel: () => void = () => undefined
  const take = (input: string, isOver: boolean): void => {
    const read = readKeys(input, isOver)
    rest = read.rest
    for (const key of read.keys) store.send({ type: 'key', key })
  }
  const stop = terminal.onKeys((chunk) => {
    cancel()
    take(rest + chunk, false)
    if (rest !== '') cancel = clock.after(ESCAPE_MS, () => take(rest, true), 'loose')
  })
  return () => {
    cancel()
    stop()
  }
}
