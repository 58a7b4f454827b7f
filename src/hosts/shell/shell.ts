/**
 * shell: `plugboard` on a terminal: a session with a model and the servers.
 *
 * in     a terminal with a user
 * out    the exit code, when the user leaves
 * never  leaves the terminal changed, or a server running
 */
import { ProblemError } from '../../problem/problem.ts'
import type { CommandContext } from '../shared/context.ts'
import { noTerminal } from './agent/problems.ts'
import { listenKeys } from './listen-keys.ts'
import { paintFirst } from './screen/first-paint.ts'
import { createSession, type Front, type Session } from './session.ts'

const DONE = 0

/** Throws `shell/no-terminal`, and problems of files that the command line names. */
export async function runShell(context: CommandContext, demo: 'on' | 'off' = 'off'): Promise<number> {
  if (!context.terminal.canAsk) throw new ProblemError(noTerminal())
  let front: (Front & { close(): void }) | undefined
  const session = createSession(context, {
    commands: async () => (await import('./slash/commands.ts')).SLASH_COMMANDS,
    front: () => front,
    demo,
  })
  leaveWhenAsked(context, session)
  front = await openFront(context, session)
  try {
    await session.run()
  } finally {
    // First, so that Ctrl-C ends the program when a server takes long to stop.
    front.close()
    await session.close()
  }
  return DONE
}

/** Otherwise the terminal would stay without an echo. For ever: ink ends the process when no other listener exists. */
function leaveWhenAsked({ terminal }: CommandContext, session: Session): void {
  const onTerminate = (): void => {
    terminal.onTerminate(onTerminate)
    session.leave()
  }
  terminal.onTerminate(onTerminate)
}

async function openFront(context: CommandContext, session: Session): Promise<Front & { close(): void }> {
  if (isPlain(context)) {
    const { openLines } = await import('./lines.ts')
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

/** Terminals that cannot move their cursor, and those with `CI` set, where ink draws nothing. */
function isPlain({ world: { env } }: CommandContext): boolean {
  return env['TERM'] === 'dumb' || (env['CI'] ?? '') !== ''
}
