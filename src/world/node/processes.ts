/**
 * processes: real children, each the head of a group of its own, so that what it starts can be ended with it. What left
 * the group is found by its parents, in the table of processes, before the child is asked to end.
 *
 * never  leaves a group behind: should this process die without a word, the reaper ends what is on its list
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
      // Before the first child, while the processors have nothing else to do: behind it, all children of a turn would
      // fight for them, and each start takes ten times as long.
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

/** Read once for all children that are ended in one turn: it takes milliseconds. */
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

/** Some faults (no such program) Node tells later, as an event; others (a `cwd` that is a file) it throws. */
function start({ command, args, env, cwd }: SpawnRequest, platform: Platform): ChildProcess | Error {
  const spawnable = toSpawnable(command, args, { platform, env, isFile })
  if (spawnable.kind === 'refused')
    return Object.assign(new Error(spawnable.message), { code: spawnable.code })
  try {
    return childProcess().spawn(spawnable.command, spawnable.args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A session and a group of its own. On Windows it would open a window, and there the tree is found without.
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

/** For a folder that is missing, the system says the same as for a program that is; for a file, a word of its own. */
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
  /** What it started and what left its group, as far as that was found before it was asked to end. */
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

  /** While its parent is there: a process that left the group is found by nothing else. */
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
    // Without any of them when the system has no more to give.
    const { stdin, stdout, stderr } = child
    stdout?.on('data', (bytes: Buffer) => this.#isOver || this.#listener.onOutput(bytes))
    stderr?.on('data', (bytes: Buffer) => this.#isOver || this.#listener.onErrorOutput(bytes))
    // What is written to a child that is gone is lost; its exit tells.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', ignore)
    child.on('error', (error: NodeJS.ErrnoException) => {
      // A signal that could not be delivered comes here as well; only a child without a pid never started.
      if (child.pid === undefined) this.#finish(() => this.#listener.onFailed(toFailed(error, this.#request)))
    })
    child.on('close', (code, signal) => this.#exit(code, signal))
    child.on('exit', (code, signal) => {
      // Whatever it started and left behind goes with it. On Windows nobody would find it by now but the reaper.
      if (this.#platform !== 'win32' && child.pid !== undefined) this.#endAll(child.pid, 'kill')
      // Behind the reads that are due: after a busy moment the timer would come before what is in the pipe.
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
