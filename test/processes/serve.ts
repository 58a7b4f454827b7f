/**
 * serve: the built command as a gateway over HTTP, in a process of its own.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { BIN, type Machine } from './plugboard.ts'

export interface ServingProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly url: URL
  readonly exit: Promise<number | NodeJS.Signals | null>
  /** Resolves when it has said this. */
  until(words: string): Promise<void>
}

export async function startServing(machine: Machine, ...flags: readonly string[]): Promise<ServingProcess> {
  const child = spawn(process.execPath, [BIN, 'serve', ...flags], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code)),
  )
  let said = ''
  let look = (): void => undefined
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
    look()
  })
  const until = (words: string | RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      look = () => {
        const found =
          typeof words === 'string' ? (said.includes(words) ? words : undefined) : words.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      }
      void exit.then(() => reject(new Error(said)))
      look()
    })
  const url = new URL(await until(/serving (\S+\/mcp)/))
  return {
    child,
    url,
    exit,
    until: async (words) => void (await until(words)),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** Of the gateway's own user. */
export function tokenOf(machine: Machine): string {
  return readFileSync(machine.at('~/.local/state/plugboard/gateway-token'), 'utf8').trim()
}
