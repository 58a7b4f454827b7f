/** daemons: starts this program again, as a process that outlives this one. */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DaemonOptions, Daemons } from '../world.ts'

export function createNodeDaemons(home: string): Daemons {
  return {
    pid: process.pid,
    start: (args, { log, env }) => start(args, { log, home, env }),
    isAlive(pid) {
      try {
        process.kill(pid, 0)
        return true
      } catch (error) {
        // The process of another user exists, too.
        return (error as NodeJS.ErrnoException).code === 'EPERM'
      }
    },
  }
}

async function start(
  args: readonly string[],
  { log, home, env }: DaemonOptions & { readonly home: string },
): Promise<string | undefined> {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const stderr = await openLog(log)
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], {
    cwd: home,
    // No variable may lead back to the folder where the process was started.
    env: { ...env, PWD: home, OLDPWD: undefined, INIT_CWD: undefined },
    // A session of its own: the process survives when its terminal closes.
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'pipe', stderr],
  })
  closeSync(stderr)
  return new Promise((resolve, reject) => {
    let text = ''
    const finish = (line: string | undefined): void => {
      child.stdout!.destroy()
      child.unref()
      resolve(line)
    }
    child.on('error', reject)
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end !== -1) finish(text.slice(0, end))
    })
    child.stdout!.on('close', () => finish(undefined))
  })
}

/** Rejects with an UpdateError. */
async function openLog(log: string): Promise<number> {
  try {
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
    const descriptor = openSync(log, 'a', 0o600)
    // An earlier process may have made the file with wider permissions.
    chmodSync(log, 0o600)
    return descriptor
  } catch (error) {
    const { toUpdateError } = await import('./update-file.ts')
    throw toUpdateError(error, log)
  }
}
