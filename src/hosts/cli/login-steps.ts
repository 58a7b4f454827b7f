/**
 * login-steps: what a person sees while they sign in: the page, what to do with it, and what is being waited for.
 *
 * in     the steps of a login
 * out    on stderr: the page always; one line that says what it waits for, written over where that is possible
 */
import { toPrintable } from '../../base/printable.ts'
import type { LoginStep } from '../../runtime/login-host.ts'
import type { Terminal } from '../../world/world.ts'
import { cutEnd } from '../shared/width.ts'

export interface StepLines {
  show(step: LoginStep): void
  /** Takes the last line back. */
  clear(): void
}

const CLEAR = '\r\u001b[K'

export function showSteps(terminal: Terminal, { canPaste }: { readonly canPaste: boolean }): StepLines {
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
    err(cutEnd(toPrintable(line), columnsBeside - 1))
    isShown = true
  }
  return {
    clear,
    show: (step) => {
      const { lines = [], waiting } = describe(step, canPaste)
      if (lines.length > 0) say(lines)
      if (waiting !== undefined) wait(waiting)
    },
  }
}

interface Description {
  readonly lines?: readonly string[]
  readonly waiting?: string
}

function describe(step: LoginStep, canPaste: boolean): Description {
  switch (step.kind) {
    case 'asking-server':
      return { waiting: `asking ${step.host} how to sign in …` }
    case 'registering':
      return { waiting: `registering with ${hostOf(step.issuer)} …` }
    case 'page':
      return {
        lines: [
          'To sign in, open this page:',
          '',
          `  ${step.url}`,
          '',
          ...(canPaste
            ? [
                `Should the browser not find its way back (it ends at ${step.redirectUri}), paste the address it shows, or just the code in it.`,
              ]
            : []),
        ],
        waiting: 'waiting for you to sign in in the browser …',
      }
    case 'browser':
      return step.outcome.kind === 'opened'
        ? { waiting: `waiting for you to sign in in the browser (opened with ${step.outcome.opener}) …` }
        : {
            lines: ['No browser could be opened here: open the page yourself.'],
            waiting: 'waiting for you to sign in in the browser …',
          }
    case 'device':
      return {
        lines: [
          'To sign in, open this page on any device:',
          '',
          `  ${step.code.url}`,
          '',
          `and type in the code ${step.code.userCode}`,
          ...(step.code.completeUrl === undefined ? [] : [`(or open ${step.code.completeUrl})`]),
        ],
        waiting: 'waiting for you to type in the code …',
      }
    case 'ignored':
      return {
        lines: [`something came that is not the answer: ${step.why}`],
        waiting: 'still waiting for you to sign in …',
      }
    case 'exchanging':
      return { waiting: `asking ${hostOf(step.issuer)} for tokens …` }
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
