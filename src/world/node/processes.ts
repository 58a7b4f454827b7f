/**
 * processes: real children. Each leads a group of its own, so that what it starts can be ended with it. Processes that
 * left the group are found through their parents, in the process table, before the child is asked to end.
 *
 * never  leaves a group behind: if this process is killed, the reaper ends what is on its list
 */
import type { ChildProcess } from 'node:child_process'
import type { Child, Platform, Processes, ProcessListener, RunningProcess, SpawnRequest } from '../world.ts'
import { endTree } from './end-tree.ts'
import { nodeFiles } from './files.ts'
import {
  describeProcess,
  findFamily,
  findProcess,
  readProcessTable,
  type ProcessRow,
} from './process-table.ts'
import { theReaper, type Reaper } from './reaper.ts'
import { toSpawnable } from './windows-command.ts'

export function createNodeProcesses(platform: Platform): Processes {
  const table = createTable(platform)
  const running = new Set<NodeChild>()
  let watchers: (() => void)[] = []
  const onOver = (child: NodeChild): void => {
    running.delete(child)
    if (running.size > 0) return
    for (const tell of watchers) tell()
    watchers = []
  }
  return {
    spawn(request, listener) {
      // Before the first child, while the processors are idle. Later, the children of one turn would compete with it,
      // and each start would take ten times as long.
      const reaper = theReaper(platform)
      const child = start(request, platform)
      if (child instanceof Error) {
        queueMicrotask(() => listener.onFailed(toFailed(child, request)))
        return NO_CHILD
      }
      const one = new NodeChild(child, { listener, request }, { platform, reaper, table, onOver })
      running.add(one)
      return one
    },
    whenNoneIsLeft: () =>
      running.size === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve)),
  }
}

type Table = () => readonly ProcessRow[] | undefined

/** Read once for all children that are ended in one turn: a read takes milliseconds. */
function createTable(platform: Platform): Table {
  let rows: readonly ProcessRow[] | undefined
  return () => {
    if (rows === undefined) setImmediate(() => (rows = undefined))
    return (rows ??= readProcessTable(platform))
  }
}

/** Loaded with the first child: most commands start none. */
function childProcess(): ReturnType<typeof process.getBuiltinModule<'node:child_process'>> {
  return process.getBuiltinModule('node:child_process')
}

/** Node reports some faults (no such program) later, as an event. It throws others (a `cwd` that is a file). */
function start({ command, args, env, cwd }: SpawnRequest, platform: Platform): ChildProcess | Error {
  const spawnable = toSpawnable(command, args, { platform, env, isFile })
  if (spawnable.kind === 'refused')
    return Object.assign(new Error(spawnable.message), { code: spawnable.code })
  try {
    return childProcess().spawn(spawnable.command, spawnable.args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session and a group of its own. On Windows this would open a window, and the tree is found without it.
      detached: platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: spawnable.isVerbatim,
    })
  } catch (error) {
    return error as Error
  }
}

function isFile(path: string): boolean {
  return nodeFiles.kind(path) === 'file'
}

/** The system reports a missing folder like a missing program. It has another code for a file. */
function toFailed(
  error: NodeJS.ErrnoException,
  { cwd }: SpawnRequest,
): Parameters<ProcessListener['onFailed']>[0] {
  if (error.code === 'ENOENT' && nodeFiles.kind(cwd) === 'missing')
    return { code: 'ENOCWD', message: `its folder (\`cwd\`) does not exist: ${cwd}` }
  if (error.code === 'ENOTDIR' && isFile(cwd))
    return { code: 'ENOTDIR', message: `its folder (\`cwd\`) is not a folder: ${cwd}` }
  return { code: error.code ?? 'UNKNOWN', message: error.message }
}

const NO_CHILD: Child = {
  pid: undefined,
  write: () => undefined,
  unread: 0,
  endInput: () => undefined,
  end: () => undefined,
  installed: () => undefined,
  family: () => undefined,
}

/** How long output may lag behind the exit: a grandchild can hold the pipe open for ever. */
const DRAIN_MS = 100

interface Surroundings {
  readonly platform: Platform
  readonly reaper: Reaper
  readonly table: Table
  onOver(child: NodeChild): void
}

class NodeChild implements Child {
  readonly #child: ChildProcess
  readonly #listener: ProcessListener
  readonly #request: SpawnRequest
  readonly #platform: Platform
  readonly #reaper: Reaper
  readonly #table: Table
  readonly #onOver: Surroundings['onOver']
  #installs: boolean
  /** Its descendants outside of its group, as far as they were found before the child was asked to end. */
  #strays: readonly ProcessRow[] = []
  #isOver = false

  constructor(
    child: ChildProcess,
    { listener, request }: { readonly listener: ProcessListener; readonly request: SpawnRequest },
    { platform, reaper, table, onOver }: Surroundings,
  ) {
    this.#child = child
    this.#listener = listener
    this.#request = request
    this.#platform = platform
    this.#reaper = reaper
    this.#table = table
    this.#onOver = onOver
    this.#installs = request.installs === true
    if (child.pid !== undefined) reaper[this.#installs ? 'install' : 'watch'](child.pid)
    this.#listen()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  write(input: string): void {
    this.#child.stdin?.write(input)
  }

  get unread(): number {
    return this.#child.stdin?.writableLength ?? 0
  }

  endInput(): void {
    this.#findStrays()
    this.#child.stdin?.end()
  }

  end(how: Parameters<Child['end']>[0]): void {
    if (this.pid === undefined) return
    this.#findStrays()
    if (how === 'terminate' && this.#installs) this.#reaper.asked(this.pid)
    this.#endAll(this.pid, how)
  }

  installed(): void {
    if (!this.#installs) return
    this.#installs = false
    if (this.pid !== undefined) this.#reaper.installed(this.pid)
  }

  family(): readonly RunningProcess[] | undefined {
    return this.#findFamily()?.map((row) => describeProcess(row, this.#platform))
  }

  #findFamily(): readonly ProcessRow[] | undefined {
    const { pid } = this
    const table = pid === undefined ? undefined : this.#table()
    return table === undefined ? undefined : findFamily(pid!, table)
  }

  /** Runs while the parent is alive: only the parent leads to a process that left the group. */
  #findStrays(): void {
    const found = this.#findFamily()?.filter(({ group }) => group !== this.pid) ?? []
    const before = this.#strays.filter((one) => !found.some(({ pid }) => pid === one.pid))
    this.#strays = [...before, ...found]
  }

  #endAll(pid: number, how: Parameters<Child['end']>[0]): void {
    endTree(pid, how, this.#platform)
    for (const stray of this.#strays) {
      const now = findProcess(stray.pid, this.#platform)
      if (now?.startedAt === stray.startedAt) endTree(now.group, how, this.#platform)
    }
  }

  #listen(): void {
    const child = this.#child
    // The streams are missing when the system has no descriptors left.
    const { stdin, stdout, stderr } = child
    stdout?.on('data', (bytes: Buffer) => this.#isOver || this.#listener.onOutput(bytes))
    stderr?.on('data', (bytes: Buffer) => this.#isOver || this.#listener.onErrorOutput(bytes))
    // Input for a child that is gone is lost. The `exit` event reports the exit.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', ignore)
    child.on('error', (error: NodeJS.ErrnoException) => {
      // A signal that could not be delivered arrives here as well. Only a child without a pid never started.
      if (child.pid === undefined) this.#finish(() => this.#listener.onFailed(toFailed(error, this.#request)))
    })
    child.on('close', (code, signal) => this.#exit(code, signal))
    child.on('exit', (code, signal) => {
      // Descendants that it left behind are ended, too. On Windows only the reaper could still find them.
      if (this.#platform !== 'win32' && child.pid !== undefined) this.#endAll(child.pid, 'kill')
      // After the reads that are due: after a busy moment the timer would fire before the pipe is read.
      setTimeout(() => setImmediate(() => this.#exit(code, signal)), DRAIN_MS)
    })
  }

  #exit(code: number | null, signal: string | null): void {
    const exit = { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) }
    this.#finish(() => this.#listener.onExit(exit))
  }

  #finish(tell: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.pid !== undefined) this.#reaper.end(this.pid)
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
    this.#onOver(this)
    tell()
  }
}

function ignore(): void {}
