/**
 * shell: a user's own command line, run with a time limit.
 */
import type { Shell, ShellOutcome } from '../world.ts'

export const nodeShell: Shell = {
  async run(command, { cwd, timeoutMs, env }) {
    const { spawn } = await import('node:child_process')
    return new Promise<ShellOutcome>((resolve) => {
      // Its own group, so that the time limit ends what the command started, too.
      const child = spawn(command, {
        cwd,
        shell: true,
        ...(env === undefined ? {} : { env: { ...process.env, ...env } }),
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      let stdout = ''
      let stderr = ''
      let timedOut = false
      const timer = setTimeout(() => {
        timedOut = true
        endGroup(child.pid)
        child.stdout.destroy()
        child.stderr.destroy()
      }, timeoutMs)
      child.stdin.end()
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
      child.on('error', (error) => (stderr += error.message))
      child.on('close', (exitCode) => {
        clearTimeout(timer)
        resolve({ stdout, stderr, timedOut, ...(exitCode === null ? {} : { exitCode }) })
      })
    })
  },
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
