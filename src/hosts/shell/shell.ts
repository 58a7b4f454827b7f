/**
 * shell: `plugboard` on a terminal: a session with a model, and the servers live in it.
 *
 * in     a terminal with a person in front of it
 * out    the exit code, when they leave
 * never  leaves the terminal other than it was, or a server running
 */
import { ProblemError } from '../../problem/problem.ts'
import type { CommandContext } from '../shared/context.ts'
import { noTerminal } from './agent/problems.ts'
import { openLines } from './lines.ts'
import { listenKeys } from './listen-keys.ts'
import { paintFirst } from './screen/first-paint.ts'
import { createSession, type Front, type Session } from './session.ts'
import { SLASH_COMMANDS } from './slash/commands.ts'

const DONE = 0

/** Throws `shell/no-terminal`, and what is wrong with a file that the line names. */
export async function runShell(context: CommandContext, demo: 'on' | 'off' = 'off'): Promise<number> {
  if (!context.terminal.canAsk) throw new ProblemError(noTerminal())
  let front: (Front & { close(): void }) | undefined
  const session = createSession(context, {
    commands: SLASH_COMMANDS,
    front: () => front,
    demo,
  })
  leaveWhenAsked(context, session)
  front = await openFront(context, session)
  try {
    await session.run()
  } finally {
    // First, so that Ctrl-C ends the program should a server take its time.
    front.close()
    await session.close()
  }
  return DONE
}

/** Or the terminal would be left without an echo. For ever: ink ends the process where nobody else listens. */
function leaveWhenAsked({ terminal }: CommandContext, session: Session): void {
  const onTerminate = (): void => {
    terminal.onTerminate(onTerminate)
    session.leave()
  }
  terminal.onTerminate(onTerminate)
}

async function openFront(context: CommandContext, session: Session): Promise<Front & { close(): void }> {
  if (isPlain(context)) {
    return openLines(session.store, context)
  }
  const { store } = session
  const { world, terminal, paint } = context
  const stopKeys = listenKeys(store, context)
  const takeAway = paintFirst(store.state(), { paint, here: world, terminal })
  const { openScreen } = await import('./screen/open-screen.tsx')
  takeAway()
  const screen = openScreen(store, context)
  return {
    draw: screen.draw,
    close() {
      stopKeys()
      screen.close()
    },
  }
}

/** Terminals that cannot move their cursor; and ink draws nothing where `CI` is set. */
function isPlain({ world: { env } }: CommandContext): boolean {
  return env['TERM'] === 'dumb' || (env['CI'] ?? '') !== ''
}
