/**
 * stdio: a server that is a child process, with one JSON message in each line.
 *
 * in     what to start, with its whole environment
 * out    messages; other lines are noise, and stderr is the log
 * never  keeps more than 64 MB for a process that does not read; leaves the process or its children behind; keeps more
 *        than one line of limited length in memory
 */
import { ByteLines } from '../../../base/byte-lines.ts'
import { reveal, type LaunchTransport } from '../../../model/launch.ts'
import type { Message } from '../../../model/message.ts'
import type { SendOptions, Wire, WireFailure, WireListener } from '../../../model/wire.ts'
import type { Child, Clock, ProcessListener, SpawnRequest, World } from '../../../world/world.ts'
import { deliver } from './deliver.ts'
import { Meter } from './meter.ts'
import { isPackageRunner, isInstalling } from './package-runner.ts'
import { whyNotSent } from './unread.ts'

type StdioLaunch = Extract<LaunchTransport, { kind: 'stdio' }>

/** The longest message, in bytes. A server that writes a longer line has a bug or attacks the client. */
const MAX_LINE = 64 * 1024 * 1024

/** How long a server may take to exit, first after a polite request and then after a firm one. */
const LEAVE_MS = { politely: 1000, firmly: 1000 }

/**
 * A package runner that must end while it installs first undoes its work. After a second request, npm at least removes
 * its lock. It gets this much time for each.
 */
const UNDO_MS = { first: 10_000, second: 1000 }

/** When the wire first checks whether a package runner installs something, and how often after that. */
const INSTALLATION_MS = { first: 500, next: 1000 }

export function openStdio(
  launch: StdioLaunch,
  world: Pick<World, 'processes' | 'clock'>,
  listener: WireListener,
): Wire {
  return new StdioWire(launch, world, listener)
}

class StdioWire implements Wire, ProcessListener {
  readonly kind = 'stdio'
  readonly #clock: Clock
  readonly #listener: WireListener
  readonly #output: ByteLines
  /** The lines of stderr. Made on first use, like the meters: most servers write nothing there. */
  #log: ByteLines | undefined
  readonly #child: Child
  /** Why the wire ended the process, if it did. That says more than the exit that follows. */
  #verdict: WireFailure | undefined
  #logging: Meter | undefined
  #noise: Meter | undefined
  /** Whether the last piece of stderr ended a line. */
  #endsLine = true
  /** The last piece of stderr that came above the limit. */
  #held: { readonly bytes: Uint8Array; readonly isWhole: boolean } | undefined
  /** Unless it begins a line, the next piece of stderr continues a line that was dropped. */
  #lacksStart = false
  #hasSign = false
  /** The package runner may still be installing the server. */
  #mayInstall: boolean
  /** The last state that the listener got. */
  #installation: 'begun' | 'over' = 'over'
  #cancelLook: (() => void) | undefined
  #unsent = ''
  /** The callers that wait for the end of the process; undefined once it has ended. */
  #leaving: (() => void)[] | undefined = []
  #closing: Promise<void> | undefined

  constructor(launch: StdioLaunch, world: Pick<World, 'processes' | 'clock'>, listener: WireListener) {
    this.#clock = world.clock
    this.#listener = listener
    this.#output = new ByteLines({
      maxLength: MAX_LINE,
      onLine: (line) => this.#read(line),
      onTooLong: () =>
        this.#abandon({ kind: 'protocol', message: `it wrote a line of more than ${MAX_LINE >> 20} MB` }),
    })
    const request = toRequest(launch)
    this.#mayInstall = isPackageRunner(request)
    this.#child = world.processes.spawn({ ...request, installs: this.#mayInstall }, this)
    if (this.#mayInstall) this.#lookLater(INSTALLATION_MS.first)
  }

  send(message: Message, options?: SendOptions): void {
    if (this.#leaving === undefined) return
    const failure = whyNotSent(this.#child.unread + this.#unsent.length)
    if (failure !== undefined) return queueMicrotask(() => options?.onFailure?.(failure))
    const line = `${JSON.stringify(message)}\n`
    // Messages of one turn go out in one write: a pipe costs more for each write than for each byte.
    if (this.#unsent === '') queueMicrotask(this.#flush)
    this.#unsent += line
  }

  /** Runs once for any number of calls: a second SIGTERM would stop npm while it undoes its work. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Closes the input, then asks, then kills. Each step runs only if the one before did not end the process. */
  async #close(): Promise<void> {
    this.#verdict ??= { kind: 'closed' }
    if (this.#leaving === undefined) return
    const gone = new Promise<void>((resolve) => this.#leaving!.push(resolve))
    this.#flush()
    if (this.#mayInstall && this.#looksInstalling() !== 'no') return this.#leaveInstallation(gone)
    this.#child.endInput()
    let cancel = this.#clock.after(LEAVE_MS.politely, () => {
      this.#child.end('terminate')
      cancel = this.#clock.after(LEAVE_MS.firmly, () => this.#child.end('kill'))
    })
    await gone
    cancel()
  }

  /**
   * A package runner ignores the end of its input, and it may take longer than the caller wants to wait. Then `close`
   * returns first. If this process ends before the runner does, the reaper knows how much time the runner has.
   */
  #leaveInstallation(gone: Promise<void>): Promise<void> {
    this.#cancelLook?.()
    this.#child.end('terminate')
    let cancel = this.#clock.after(UNDO_MS.first, () => {
      this.#child.end('terminate')
      cancel = this.#clock.after(UNDO_MS.second, () => this.#child.end('kill'))
    })
    const patience = new Promise<void>((resolve) => {
      const cancelWait = this.#clock.after(LEAVE_MS.politely + LEAVE_MS.firmly, resolve)
      void gone.finally(cancelWait)
    })
    void gone.finally(() => cancel())
    return Promise.race([gone, patience])
  }

  #lookLater(ms: number): void {
    this.#cancelLook = this.#clock.after(ms, () => this.#lookAtInstallation(), 'loose')
  }

  #lookAtInstallation(): void {
    const looks = this.#looksInstalling()
    this.#tellInstallation(looks === 'yes' ? 'begun' : 'over')
    if (looks === 'yes') this.#lookLater(INSTALLATION_MS.next)
    else if (looks === 'no') this.#endInstallation()
  }

  #looksInstalling(): 'yes' | 'no' | 'unknown' {
    const family = this.#child.family()
    if (family === undefined) return 'unknown'
    return isInstalling(family) ? 'yes' : 'no'
  }

  /** The server itself runs now. */
  #endInstallation(): void {
    if (!this.#mayInstall) return
    this.#mayInstall = false
    this.#cancelLook?.()
    this.#child.installed()
    this.#tellInstallation('over')
  }

  #tellInstallation(state: 'begun' | 'over'): void {
    if (state === this.#installation) return
    this.#installation = state
    this.#listener.onInstallation?.(state)
  }

  onOutput(bytes: Uint8Array): void {
    if (!this.#hasSign) {
      this.#hasSign = true
      this.#endInstallation()
      this.#listener.onFirstSign?.()
    }
    if (this.#verdict !== undefined) return
    this.#output.push(bytes)
  }

  onErrorOutput(bytes: Uint8Array): void {
    const isWhole = this.#endsLine
    this.#endsLine = bytes.at(-1) === LINE_FEED
    this.#logging ??= new Meter(MAX_LOG)
    if (this.#held === undefined && this.#logging.takes(bytes.length, this.#clock.now()))
      return this.#logFrom(bytes, isWhole ? 'line' : 'middle')
    // The pieces in between are lost, because the last piece says most.
    if (this.#held === undefined) this.#clock.after(HOLD_MS, () => this.#release())
    this.#held = { bytes, isWhole }
  }

  #openLog(): ByteLines {
    const onLog = (line: string): void => this.#listener.onLog?.(line)
    this.#log ??= new ByteLines({ maxLength: MAX_LOG_LINE, onLine: onLog, onTooLong: onLog })
    return this.#log
  }

  #release(): void {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    this.#openLog().flush()
    this.#lacksStart = true
    this.#logFrom(held.bytes, held.isWhole ? 'line' : 'middle')
  }

  /**
   * The rest of a line without its beginning is not logged: it may begin with half a secret, which redaction cannot
   * find.
   */
  #logFrom(bytes: Uint8Array, begins: 'line' | 'middle'): void {
    const isLost = begins === 'middle' && this.#lacksStart
    const from = isLost ? bytes.indexOf(LINE_FEED) + 1 : 0
    if (isLost && from === 0) return
    this.#lacksStart = false
    this.#openLog().push(bytes.subarray(from))
  }

  /** Ends a server that writes noise without end, because reading it would delay all other servers. */
  #read(line: string): void {
    if (this.#verdict !== undefined || deliver(line, this.#listener) === 'message') return
    this.#noise ??= new Meter(MAX_NOISE)
    if (this.#noise.takes(1, this.#clock.now())) return
    const message = `it wrote ${MAX_NOISE} lines to stdout that are no MCP messages`
    this.#abandon({ kind: 'protocol', message })
  }

  onExit(exit: { readonly exitCode?: number; readonly signal?: string }): void {
    this.#end({ kind: 'exit', ...exit })
  }

  onFailed(error: { readonly code: string; readonly message: string }): void {
    this.#end({ kind: 'spawn', ...error })
  }

  readonly #flush = (): void => {
    if (this.#unsent === '') return
    const lines = this.#unsent
    this.#unsent = ''
    this.#child.write(lines)
  }

  #abandon(why: WireFailure): void {
    this.#verdict ??= why
    this.#child.end('kill')
  }

  #end(failure: WireFailure): void {
    const leaving = this.#leaving
    if (leaving === undefined) return
    this.#leaving = undefined
    this.#cancelLook?.()
    if (this.#verdict === undefined) this.#output.flush()
    this.#release()
    this.#log?.flush()
    for (const tell of leaving) tell()
    this.#listener.onEnd(this.#verdict ?? failure)
  }
}

const LINE_FEED = 0x0a

/** Lines in one second that are no messages. */
const MAX_NOISE = 10_000

/** Bytes of stderr in one second. Above that, only the last piece is kept. */
const MAX_LOG = 4 * 1024 * 1024
const HOLD_MS = 1000

/** Far more than a log keeps of a line. The rest is never shown, because the cut may be inside a secret. */
const MAX_LOG_LINE = 64 * 1024

function toRequest({ command, args, env, cwd }: StdioLaunch): SpawnRequest {
  return {
    command: reveal(command),
    args: args.map(reveal),
    env: Object.fromEntries([...env].map(([name, value]) => [name, reveal(value)])),
    cwd,
  }
}
