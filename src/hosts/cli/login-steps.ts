/**
 * login-steps: what a person sees while they sign in: the page, what to do with it, and what is being waited for.
 *
 * in     the steps of a login
 * out    on stderr: the page always; one line that says what it waits for, written over where that is possible
 */
import { toPrintable } from '../../base/printable.ts'
import type { LoginStep } from '../../runtime/login-host.ts'
import type { Terminal } from '../../world/world.ts'
import { describeLogin } from '../shared/describe-login.ts'
import { cutEnd } from '../shared/width.ts'

export interface StepLines {
  show(step: LoginStep): void
  /** Takes the last line back. */
  clear(): void
}

const CLEAR = '\r\u001b[K'

export interface StepOptions {
  /** An address that is typed in is taken. */
  readonly canPaste: boolean
  /** Keys are listened to. */
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
  /** Where lines cannot be written over, each is one of a log. */
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
