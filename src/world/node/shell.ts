/**
 * shell: runs a user's own command line, with a limit for its time and one for its output.
 *
 * never  leaves processes behind, not even when this process is killed
 */
import type { ChildProcess } from 'node:child_process'
import type { Platform, Shell, ShellOutcome } from '../world.ts'
import { endTree } from './end-tree.ts'
import { theReaper } from './reaper.ts'

/** The output is a value, not a file. */
const MAX_OUTPUT = 1024 * 1024

export function createNodeShell(platform: Platform): Shell {
  return {
    async run(command, { cwd, timeoutMs, env }) {
      const { spawn } = await import('node:child_process')
      const reaper = theReaper(platform)
      return new Promise<ShellOutcome>((resolve) => {
        // Its own group, so that the time limit ends what the command started, too.
        const child = spawn(command, {
          cwd,
          shell: true,
          env: { ...env },
          detached: platform !== 'win32',
          windowsHide: true,
        })
        const { pid } = child
        if (pid !== undefined) reaper.watch(pid)
        let timedOut = false
        const end = (): void => {
          timedOut = true
          if (pid !== undefined) endTree(pid, 'kill', platform)
          child.stdout.destroy()
          child.stderr.destroy()
        }
        const timer = setTimeout(end, timeoutMs)
        const said = gather(child, end)
        child.stdin.end()
        child.on('close', (exitCode) => {
          clearTimeout(timer)
          // What it left behind may be meant to stay, such as an agent that holds a key.
          if (pid !== undefined) reaper.forget(pid)
          resolve({ ...said, timedOut, ...(exitCode === null ? {} : { exitCode }) })
        })
      })
    },
  }
}

/** Collects the output as it arrives. Too much output ends the command. */
function gather(child: ChildProcess, end: () => void): { stdout: string; stderr: string } {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk
      if (said[name].length > MAX_OUTPUT) end()
    })
  }
  child.on('error', (error) => (said.stderr += error.message))
  return said
}
