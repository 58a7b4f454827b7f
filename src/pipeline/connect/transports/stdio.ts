/**
 * stdio: a server that is a child process, one JSON message a line.
 *
 * in     what to start, with its whole environment
 * out    messages; lines that are none are noise, and stderr is the log
 * never  leaves the process or anything it started behind; keeps more than one line of limited length in memory
 */
import { reveal, type LaunchTransport } from '../../../model/launch.ts'
import type { Message } from '../../../model/message.ts'
import type { Wire, WireFailure, WireListener } from '../../../model/wire.ts'
import type { Child, World } from '../../../world/world.ts'
import { createLines } from './lines.ts'
import { deliver } from './deliver.ts'

type StdioLaunch = Extract<LaunchTransport, { kind: 'stdio' }>

/** Longest message. Whoever writes more in one line has lost the thread, or means harm. */
const MAX_LINE = 64 * 1024 * 1024

/** How long a server may take to leave after it was asked to, politely and then firmly. */
const LEAVE_MS = { politely: 1000, firmly: 1000 }

export function openStdio(
  launch: StdioLaunch,
  world: Pick<World, 'processes' | 'clock'>,
  listener: WireListener,
): Wire {
  let gone: (() => void) | undefined
  let isOver = false
  const whenGone = new Promise<void>((resolve) => (gone = resolve))
  /** Why we ended it, when we did: the exit that follows says less. */
  let verdict: WireFailure | undefined
  let hasSign = false

  const output = createLines({
    maxLength: MAX_LINE,
    onLine: (line) => deliver(line, listener),
    onTooLong: () =>
      abandon({ kind: 'protocol', message: `it wrote a line of more than ${MAX_LINE >> 20} MB` }),
  })
  const log = createLines({
    maxLength: MAX_LOG_LINE,
    onLine: (line) => listener.onLog?.(line),
    onTooLong: (start) => listener.onLog?.(start),
  })
  const child = start(launch, world, {
    onOutput(text) {
      if (!hasSign) {
        hasSign = true
        listener.onFirstSign?.()
      }
      if (verdict === undefined) output.push(text)
    },
    onErrorOutput: (text) => log.push(text),
    onExit: (exit) => end({ kind: 'exit', ...exit }),
    onFailed: (error) => end({ kind: 'spawn', ...error }),
  })

  function end(failure: WireFailure): void {
    if (isOver) return
    isOver = true
    if (verdict === undefined) output.flush()
    log.flush()
    gone!()
    listener.onEnd(verdict ?? failure)
  }

  function abandon(why: WireFailure): void {
    verdict ??= why
    child.end('kill')
  }

  let unsent = ''
  const flush = (): void => {
    child.write(unsent)
    unsent = ''
  }
  return {
    kind: 'stdio',
    send(message: Message) {
      if (isOver) return
      // Messages of one turn go out in one write: a pipe costs more per write than per byte.
      if (unsent === '') queueMicrotask(flush)
      unsent += `${JSON.stringify(message)}\n`
    },
    async close() {
      verdict ??= { kind: 'closed' }
      await leave(child, whenGone, world)
    },
  }
}

/** Far more than a log keeps of a line: what is cut here, perhaps inside a secret, is never shown. */
const MAX_LOG_LINE = 64 * 1024

type Listening = Parameters<World['processes']['spawn']>[1]

function start(
  { command, args, env, cwd }: StdioLaunch,
  world: Pick<World, 'processes'>,
  listening: Listening,
): Child {
  return world.processes.spawn(
    {
      command: reveal(command),
      args: args.map(reveal),
      env: Object.fromEntries([...env].map(([name, value]) => [name, reveal(value)])),
      cwd,
    },
    listening,
  )
}

/** The end of its input, then a request, then force; each only when the one before did not do. */
async function leave(child: Child, whenGone: Promise<void>, { clock }: Pick<World, 'clock'>): Promise<void> {
  const cancels: (() => void)[] = []
  child.endInput()
  cancels.push(
    clock.after(LEAVE_MS.politely, () => {
      child.end('terminate')
      cancels.push(clock.after(LEAVE_MS.firmly, () => child.end('kill')))
    }),
  )
  await whenGone
  for (const cancel of cancels) cancel()
}
