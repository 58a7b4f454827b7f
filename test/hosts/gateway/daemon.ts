/**
 * daemon: a machine with a gateway in the background, which ends with the test however that ends.
 */
import { connect } from 'node:net'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openMachine, type Files, type Machine, type RunOptions } from '../../processes/plugboard.ts'

export const SERVERS = fileURLToPath(new URL('../../servers', import.meta.url))

export interface Status {
  readonly gateway: {
    readonly running: boolean
    readonly pid?: number
    readonly address?: string
    readonly socket?: string
    readonly died?: { readonly pid: number }
  }
  readonly servers: readonly { readonly name: string; readonly state: string; readonly project: string }[]
}

export interface DaemonMachine extends AsyncDisposable {
  readonly machine: Machine
  /** Where its files are. */
  readonly folder: string
  status(): Promise<Status>
}

/** One of ours in `test/servers`. */
export function server(name: string, more: object = {}): object {
  return { command: process.execPath, args: [`${SERVERS}/${name}.mjs`], ...more }
}

export function openDaemonMachine(
  servers: Readonly<Record<string, object>>,
  files: Files = {},
): DaemonMachine {
  const machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: servers }, ...files })
  return {
    machine,
    folder: machine.at('~/.local/state/plugboard/gateway'),
    status: async () => (await machine.json(['status'])) as Status,
    async [Symbol.asyncDispose]() {
      await machine.run(['stop'])
      machine[Symbol.dispose]()
    },
  }
}

export interface Who {
  readonly pid: number
  readonly cwd: string
  readonly calls: number
  readonly value?: string
}

/** By `plugboard call`. */
export async function who(
  machine: Machine,
  name: string,
  options?: RunOptions & { readonly flags?: readonly string[] },
): Promise<Who> {
  const { stdout, stderr } = await machine.run(['call', name, 'who', ...(options?.flags ?? [])], options)
  try {
    return JSON.parse(stdout) as Who
  } catch {
    throw new Error(`no answer of ${name}: ${stdout}${stderr}`)
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Resolves when the process is gone. */
export async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Resolves when the file says this. */
export async function says(file: string, text: string): Promise<void> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes(text))
    await new Promise((resolve) => setTimeout(resolve, 20))
}

export function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}

/** Says one thing on the socket, and gives all that is answered. */
export function speak(socket: string, said: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const pipe = connect(socket)
    let text = ''
    pipe.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    pipe.on('error', reject)
    pipe.on('close', () => resolve(text))
    pipe.write(`${typeof said === 'string' ? said : JSON.stringify(said)}\n`)
  })
}
