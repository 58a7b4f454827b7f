/**
 * command-line: runs commands of `plugboard` inside the shell. Their output and questions appear in the conversation,
 * so a view is the same in both places.
 */
import type { Terminal } from '../../../world/world.ts'
import { NO_COLORS } from '../../shared/paint.ts'
import type { ShellContext } from '../context.ts'

/** Returns the exit code. Errors were already shown. */
export async function runCommandLine(context: ShellContext, words: readonly string[]): Promise<number> {
  const shown = new Lines((lines) => context.print(lines))
  try {
    return await context.command(words, createTerminal(context, shown))
  } finally {
    shown.end()
  }
}

/** Turns pieces of text into whole lines. */
class Lines {
  readonly #print: (lines: readonly string[]) => void
  #open = ''

  constructor(print: (lines: readonly string[]) => void) {
    this.#print = print
  }

  write(text: string): void {
    const lines = (this.#open + text).split('\n')
    this.#open = lines.pop()!
    if (lines.length > 0) this.#print(lines)
  }

  end(): void {
    if (this.#open !== '') this.#print([this.#open])
    this.#open = ''
  }
}

/** These commands draw nothing: only the width matters. */
const ROWS = 24

function createTerminal(context: ShellContext, shown: Lines): Terminal {
  const hasColor = context.paint !== NO_COLORS
  const write = (text: string): void => shown.write(text)
  return {
    canAsk: true,
    columns: context.columns(),
    columnsBeside: context.columns(),
    hasColor: { out: hasColor, err: hasColor },
    out: write,
    err: write,
    input: async () => '',
    inputWithin: async () => ({ kind: 'none' }),
    onInput: (listener) => listener.onEnd(),
    onInterrupt(listener) {
      context.signal.addEventListener('abort', listener, { once: true })
      return () => context.signal.removeEventListener('abort', listener)
    },
    onTerminate: () => undefined,
    onTyped: () => () => undefined,
    onKeys: () => () => undefined,
    onResize: () => () => undefined,
    size: () => ({ columns: context.columns(), rows: ROWS }),
    // The screen owns the terminal: an editor would write over it.
    edit: async () => undefined,
    async choose(title, options) {
      shown.end()
      const answer = await context.ask({ kind: 'choice', title, options })
      return options.find(({ value }) => value === answer)?.value
    },
    ask(title, options = {}) {
      shown.end()
      return context.ask({ kind: 'text', title, ...options })
    },
  }
}
