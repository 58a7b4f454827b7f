/**
 * login-steps: shows the steps of a sign-in: the page, what to do with it, and what Plugboard waits for.
 *
 * in     the steps of a login
 * out    on stderr: the page always; one status line, overwritten where the terminal allows it
 */
import { toPrintable } from '../../base/printable.ts'
import type { LoginStep } from '../../runtime/login-host.ts'
import type { Terminal } from '../../world/world.ts'
import { describeLogin } from '../shared/describe-login.ts'
import { cutEnd } from '../shared/width.ts'

export interface StepLines {
  show(step: LoginStep): void
  /** Removes the last line. */
  clear(): void
}

const CLEAR = '\r\u001b[K'

export interface StepOptions {
  /** The user may type in an address. */
  readonly canPaste: boolean
  /** The terminal reads keys. */
  readonly hasKeys: boolean
}

const HOW_TO_CANCEL = ' (Esc cancels)'

export function showSteps(terminal: Terminal, { canPaste, hasKeys }: StepOptions): StepLines {
  const { columnsBeside, err } = terminal
  let isShown = false
  const clear = (): void => {
    if (isShown) err(CLEAR)
    isShown = false
  }
  const say = (lines: readonly string[]): void => {
    clear()
    err(`${lines.map(toPrintable).join('\n')}\n`)
  }
  /** Where lines cannot be overwritten, each is a line of a log. */
  const wait = (line: string): void => {
    if (columnsBeside === undefined) return say([line])
    clear()
    const end = hasKeys ? HOW_TO_CANCEL : ''
    err(cutEnd(toPrintable(line), columnsBeside - 1 - end.length) + end)
    isShown = true
  }
  return {
    clear,
    show: (step) => {
      const { lines = [], waiting } = describeLogin(step, canPaste)
      if (lines.length > 0) say(lines)
      if (waiting !== undefined) wait(waiting)
    },
  }
}
