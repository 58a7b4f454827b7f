/** app: the screen's lines, drawn by ink: finished lines once, live lines in place. */
import { Box, Static, Text, useCursor, useStdout } from 'ink'
import { useEffect, useSyncExternalStore } from 'react'
import type { Finished } from '../state.ts'
import type { Store } from '../store.ts'
import { blockLines } from './block-lines.ts'
import { liveLines } from './live-lines.ts'
import type { View } from './view.ts'

export interface AppProps {
  readonly store: Store
  readonly view: Omit<View, 'columns'>
  /** Gets the function that writes above the live lines. */
  readonly onReady: (write: (text: string) => void) => void
}

export function App({ store, view: { paint, here }, onReady }: AppProps): React.ReactNode {
  const state = useSyncExternalStore(store.onChange, store.state)
  const { write } = useStdout()
  const { setCursorPosition } = useCursor()
  useEffect(() => onReady(write), [onReady, write])
  const view = { paint, here, columns: state.size.columns }
  const { lines, cursor } = liveLines(state, view)
  setCursorPosition(cursor)
  return (
    <>
      <Static key={state.clearings} items={[...state.finished]}>
        {({ id, block }: Finished) => <Lines key={id} lines={blockLines(block, view)} />}
      </Static>
      <Lines lines={lines} />
    </>
  )
}

/** Each line already fits, except for server text in characters of unknown width. */
function Lines({ lines }: { readonly lines: readonly string[] }): React.ReactNode {
  return (
    <Box flexDirection="column">
      {lines.map((line, i) => (
        <Text key={i} wrap="truncate">
          {line === '' ? ' ' : line}
        </Text>
      ))}
    </Box>
  )
}
