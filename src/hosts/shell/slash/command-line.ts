/**
 * command-line: commands of `plugboard` typed inside the shell. What they print goes into the conversation, what they ask
 * is asked there: a view that both have is the same in both.
 */
import type { Terminal } from '../../../world/world.ts'
import { NO_COLORS } from '../../shared/paint.ts'
import type { ShellContext } from '../context.ts'

/** Gives the exit code; what went wrong was shown. */
export async function runCommandLine(context: ShellContext, words: readonly string[]): Promise<number> {
  const shown = new Lines((lines) => context.print(lines))
  try {
    return await context.command(words, createTerminal(context, shown))
  } finally {
    shown.end()
  }
}

/** Text as it comes → whole lines. */
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

/** Nothing is drawn by these commands: only what they ask of the width counts. */
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
    // The screen has the terminal: an editor would write over it.
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
