/**
 * processes: real children, each the head of a group of its own, so that what it starts can be ended with it.
 *
 * never  leaves a group behind: should this process die without a word, the reaper ends what is on its list
 */
import type { ChildProcess } from 'node:child_process'
import type { Child, Platform, Processes, ProcessListener, SpawnRequest } from '../world.ts'
import { endTree } from './end-tree.ts'
import { nodeFiles } from './files.ts'
import { theReaper } from './reaper.ts'
import { toSpawnable } from './windows-command.ts'

export function createNodeProcesses(platform: Platform): Processes {
  return {
    spawn(request, listener) {
      const child = start(request, platform)
      if (child instanceof Error) {
        queueMicrotask(() => listener.onFailed(toFailed(child)))
        return NO_CHILD
      }
      if (child.pid !== undefined) theReaper(platform).watch(child.pid)
      listen(child, listener, platform)
      return toChild(child, platform)
    },
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

function toFailed(error: NodeJS.ErrnoException): Parameters<ProcessListener['onFailed']>[0] {
  return { code: error.code ?? 'UNKNOWN', message: error.message }
}

const NO_CHILD: Child = {
  pid: undefined,
  write: () => undefined,
  endInput: () => undefined,
  end: () => undefined,
}

/** How long output may lag behind the exit: a grandchild can hold the pipe open for ever. */
const DRAIN_MS = 100

function listen(child: ChildProcess, listener: ProcessListener, platform: Platform): void {
  let isOver = false
  const finish = (tell: () => void): void => {
    if (isOver) return
    isOver = true
    if (child.pid !== undefined) theReaper(platform).end(child.pid)
    child.stdout?.destroy()
    child.stderr?.destroy()
    tell()
  }
  // Without any when the system has no more of them to give.
  child.stdout?.setEncoding('utf8').on('data', (text: string) => isOver || listener.onOutput(text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => isOver || listener.onErrorOutput(text))
  // What is written to a child that is gone is lost; its exit tells.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined)
  child.on('error', (error: NodeJS.ErrnoException) => {
    // A signal that could not be delivered comes here as well; only a child without a pid never started.
    if (child.pid !== undefined) return
    finish(() => listener.onFailed(toFailed(error)))
  })
  const toExit = (code: number | null, name: string | null): Parameters<ProcessListener['onExit']>[0] => ({
    ...(code === null ? {} : { exitCode: code }),
    ...(name === null ? {} : { signal: name }),
  })
  child.on('close', (code, exitSignal) => finish(() => listener.onExit(toExit(code, exitSignal))))
  child.on('exit', (code, exitSignal) => {
    // Whatever it started and left behind goes with it. On Windows nobody would find it by now but the reaper.
    if (platform !== 'win32') endTree(child.pid!, 'kill', platform)
    const end = (): void => finish(() => listener.onExit(toExit(code, exitSignal)))
    // Behind the reads that are due: after a busy moment the timer would come before what is in the pipe.
    setTimeout(() => setImmediate(end), DRAIN_MS)
  })
}

function toChild(child: ChildProcess, platform: Platform): Child {
  return {
    pid: child.pid,
    write: (text) => void child.stdin?.write(text),
    endInput: () => void child.stdin?.end(),
    end(how) {
      if (child.pid !== undefined) endTree(child.pid, how, platform)
    },
  }
}
