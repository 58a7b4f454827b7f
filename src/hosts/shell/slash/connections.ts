/**
 * connections: servers connected anew, and signed in to or out of.
 */
import { toPrintable } from '../../../base/printable.ts'
import { ProblemError } from '../../../problem/problem.ts'
import type { LoginHost } from '../../../runtime/login-host.ts'
import { signOut } from '../../../runtime/sign-out.ts'
import { describeLogin } from '../../shared/describe-login.ts'
import type { ShellContext } from '../context.ts'
import { runCommandLine } from './command-line.ts'
import { requireRunning, requireWord } from './servers.ts'

/** Of one server, or of all that are down: what is connected keeps its connection. */
export async function reconnect(context: ShellContext, words: readonly string[]): Promise<void> {
  const { board } = context
  const [name] = words
  if (name !== undefined) requireRunning(context, name)
  const names =
    name === undefined
      ? board
          .snapshot()
          .servers.filter(({ connection }) => connection.state !== 'ready')
          .map((one) => one.name)
      : [name]
  if (names.length === 0) context.note('every server is connected')
  context.busy(`connecting to ${names.join(', ')}`)
  await Promise.all(names.map((one) => restart(context, one)))
  context.busy(undefined)
}

/** What keeps it from being ready is shown. */
async function restart(context: ShellContext, name: string): Promise<void> {
  try {
    await context.board.restart(name)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    context.report([error.problem])
  }
}

/** In a browser; what is typed meanwhile is the address that it ended at. Esc gives up. */
export async function auth(context: ShellContext, words: readonly string[]): Promise<void> {
  const name = requireWord(words, '/mcp auth <server>')
  requireRunning(context, name)
  const controller = new AbortController()
  const signal = AbortSignal.any([context.signal, controller.signal])
  const done = new AbortController()
  try {
    const way = words.includes('--no-browser') ? 'paste' : words.includes('--device') ? 'device' : 'browser'
    const signedIn = await context.board.login(name, {
      way,
      signal,
      onStep: (step) => {
        const { lines = [], waiting } = describeLogin(step, way !== 'device')
        if (lines.length > 0) context.print(lines.map(toPrintable))
        context.busy(waiting)
      },
      ...(way === 'device'
        ? {}
        : { onTyped: askForAddress(context, { over: done.signal, giveUp: controller }) }),
    })
    const scopes = signedIn.kind === 'signed-in' ? signedIn.scopes : []
    const extent = scopes.length === 0 ? '' : ` (scopes: ${scopes.map(toPrintable).join(', ')})`
    context.note(
      signedIn.kind === 'signed-in'
        ? `signed in to \`${name}\`${extent}`
        : `\`${name}\` does not ask for a sign-in`,
    )
  } catch (error) {
    if (!signal.aborted) throw error
    context.note('cancelled: nobody was signed in')
  } finally {
    done.abort()
    context.busy(undefined)
  }
}

function askForAddress(
  { ask }: ShellContext,
  { over, giveUp }: { readonly over: AbortSignal; readonly giveUp: AbortController },
): NonNullable<LoginHost['onTyped']> {
  return (listener) => {
    const stopped = new AbortController()
    const signal = AbortSignal.any([over, stopped.signal])
    void (async () => {
      while (!signal.aborted) {
        const title = 'Sign in in the browser, or paste the address that it ends at (Esc gives up)'
        const line = await ask({ kind: 'text', title }, { signal })
        if (signal.aborted) return
        if (line === undefined) return giveUp.abort()
        if (line.trim() !== '') listener(line)
      }
    })()
    return () => stopped.abort()
  }
}

export async function reauth(context: ShellContext, words: readonly string[]): Promise<void> {
  const name = requireWord(words, '/mcp reauth <server>')
  requireRunning(context, name)
  await signOut(context.world, await context.load(), name)
  await auth(context, words)
}

/** As `plugboard logout`; the session is not signed in any more either. */
export async function logout(context: ShellContext, words: readonly string[]): Promise<void> {
  const name = requireWord(words, '/mcp logout <server>')
  const code = await runCommandLine(context, ['logout', name])
  const isRunning = context.board.snapshot().servers.some((one) => one.name === name)
  if (code !== 0 || !isRunning) return
  try {
    await context.board.restart(name)
  } catch (error) {
    // That it needs a sign-in now is what was asked for, and told by the line about it.
    if (!(error instanceof ProblemError)) throw error
  }
}
