/** open-screen: the screen on a terminal, redrawn with every change. */
import { render } from 'ink'
import type { World } from '../../../world/world.ts'
import type { Paint } from '../../shared/paint.ts'
import type { Front } from '../session.ts'
import type { Store } from '../store.ts'
import { App } from './app.tsx'

export interface OpenScreen extends Front {
  /** Gives the terminal back to the user. */
  close(): void
}

export function openScreen(
  store: Store,
  { world, paint }: { readonly world: World; readonly paint: Paint },
): OpenScreen {
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
      app.unmount()
    },
  }
}

/** Clears the screen and the scrollback, as `clear` does. */
const CLEAR = '\x1b[2J\x1b[3J\x1b[H'
