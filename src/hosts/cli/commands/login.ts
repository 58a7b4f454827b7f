/**
 * login: signs in to a server, then connects once to show what the sign-in gives.
 */
import { ProblemError } from '../../../problem/problem.ts'
import { loginByName } from '../../../runtime/login-by-name.ts'
import type { LoginHost, LoginWay, LoginArguments } from '../../../runtime/login-host.ts'
import type { LoginOutcome } from '../../../runtime/login.ts'
import type { Terminal } from '../../../world/world.ts'
import { countOf } from '../../shared/amounts.ts'
import type { CommandContext } from '../command.ts'
import { DONE, INTERRUPTED } from '../exit-codes.ts'
import { showSteps } from '../login-steps.ts'
import { printJson, printLines, reportProblems } from '../print.ts'
import { conflictingFlags } from '../problems.ts'
import { seed, wantsSeed } from '../seed.ts'
import { unknownServer } from '../unknown-server.ts'
import { readMs, withBoard } from '../with-board.ts'

/** Throws `cli/unknown-server`, `cli/conflicting-flags`, `connect/…`, `authorize/…`. */
export async function run(context: CommandContext): Promise<number> {
  const outcome = wantsSeed(context) ? await takeSeed(context) : await signIn(context)
  if (outcome === 'cancelled') {
    context.terminal.err('cancelled: nobody was signed in\n')
    return INTERRUPTED
  }
  const tools = await countTools(context, outcome)
  if (context.json) printJson(context.terminal, toJson(context, outcome, tools))
  else printLines(context.terminal, toText(context, outcome, tools))
  return DONE
}

/** Throws `cli/conflicting-flags`. */
async function takeSeed(context: CommandContext): Promise<LoginOutcome | 'cancelled'> {
  const other = ['device', 'no-browser', 'scope'].find((flag) => context.flags[flag] !== undefined)
  if (other !== undefined) throw new ProblemError(conflictingFlags('--token-file', `--${other}`))
  const signIn = await seed(context)
  return signIn === 'cancelled' ? signIn : { kind: 'signed-in', signIn }
}

async function signIn(context: CommandContext): Promise<LoginOutcome | 'cancelled'> {
  const { terminal, world } = context
  const name = context.args[0]!
  const options = readOptions(context)
  const loaded = await context.load({ connectors: 'fetch' })
  const declared = loaded.catalog.entries.filter(({ entry }) => entry.found.name === name)
  if (declared.length === 0) throw new ProblemError(unknownServer(name, loaded.catalog, world))
  const chosen = declared.find(({ fate }) => fate.kind === 'chosen')
  // A field of the entry that Plugboard ignores may be why the sign-in page refuses.
  reportProblems(terminal, chosen?.entry.warnings ?? [], world)
  const controller = new AbortController()
  const keyboard = listen(terminal, { way: options.way, onCancel: () => controller.abort() })
  const canPaste = keyboard.onTyped !== undefined && options.way !== 'device'
  const steps = showSteps(terminal, { canPaste, hasKeys: terminal.canAsk })
  const host: LoginHost = {
    onStep: steps.show,
    ...(keyboard.onTyped === undefined ? {} : { onTyped: keyboard.onTyped }),
  }
  try {
    const request = { ...options, name, signal: controller.signal }
    return await loginByName(world, loaded, { request, host })
  } catch (error) {
    if (controller.signal.aborted) return 'cancelled'
    throw error
  } finally {
    steps.clear()
    keyboard.stop()
  }
}

interface Keyboard {
  readonly onTyped?: NonNullable<LoginHost['onTyped']>
  stop(): void
}

/**
 * Ctrl-C always works. Esc and typed lines work on a terminal, or with `paste`: other piped input may belong to another
 * program.
 */
function listen(
  terminal: Terminal,
  { way, onCancel }: { readonly way: LoginWay; readonly onCancel: () => void },
): Keyboard {
  const stopInterrupts = terminal.onInterrupt(onCancel)
  if (!terminal.canAsk && way !== 'paste') return { stop: stopInterrupts }
  let onLine: ((line: string) => void) | undefined
  const stopTyping = terminal.onTyped({ onLine: (line) => onLine?.(line), onCancel })
  return {
    onTyped: (listener) => {
      onLine = listener
      return () => (onLine = undefined)
    },
    stop: () => {
      stopTyping()
      stopInterrupts()
    },
  }
}

type Options = Pick<LoginArguments, 'way' | 'scopes' | 'timeoutMs'>

function readOptions(context: CommandContext): Options {
  const { flags } = context
  const [isDevice, isPaste] = [flags['device'] === true, flags['no-browser'] === true]
  if (isDevice && isPaste) throw new ProblemError(conflictingFlags('--device', '--no-browser'))
  const scopes = (flags['scope'] as readonly string[] | undefined)?.flatMap((one) => one.split(/[\s,]+/))
  return {
    way: isDevice ? 'device' : isPaste ? 'paste' : 'browser',
    scopes: scopes?.filter((one) => one !== ''),
    timeoutMs: readMs(context, 'timeout'),
  }
}

/** Throws the problem that keeps the server from being ready although the user signed in. */
function countTools(context: CommandContext, outcome: LoginOutcome): Promise<number> {
  const name = context.args[0]!
  return withBoard(context, { only: [], wait: 'moment' }, async (board) => {
    await board.connect(name).catch((error: unknown) => {
      if (outcome.kind === 'signed-in')
        context.terminal.err(`the sign-in is kept, but \`${name}\` cannot be used with it yet:\n`)
      throw error
    })
    return board.snapshot().servers.find((one) => one.name === name)?.offering?.tools.length ?? 0
  })
}

function toText(context: CommandContext, outcome: LoginOutcome, tools: number): readonly string[] {
  const name = `\`${context.args[0]!}\``
  const count = countOf(tools, 'tool')
  if (outcome.kind === 'not-needed') return [`${name} does not ask for a sign-in; it has ${count}`]
  const { scopes } = outcome.signIn.tokens
  const extent = scopes.length === 0 ? '' : ` (scopes: ${scopes.join(', ')})`
  return [`signed in to ${name}${extent}; it has ${count}`]
}

function toJson(context: CommandContext, outcome: LoginOutcome, tools: number): object {
  const server = context.args[0]!
  if (outcome.kind === 'not-needed') return { server, signedIn: false, tools }
  const { key, tokens } = outcome.signIn
  const { expiresAt, scopes } = tokens
  return {
    server,
    signedIn: true,
    issuer: key.issuer,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    tools,
  }
}
