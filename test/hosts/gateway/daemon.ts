/**
 * daemon: a machine with a gateway in the background, which ends with the test however that ends.
 */
import { connect } from 'node:net'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
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
  const folder = machine.at('~/.local/state/plugboard/gateway')
  let over: Promise<void> | undefined
  const end = (): Promise<void> => (over ??= endMachine(machine, folder))
  // A test that runs out of time never comes to the end of its block.
  onTestFinished(end)
  return {
    machine,
    folder,
    status: async () => (await machine.json(['status'])) as Status,
    [Symbol.asyncDispose]: end,
  }
}

/** In good order where that can be had; what is left after that, by force. */
async function endMachine(machine: Machine, folder: string): Promise<void> {
  try {
    await machine.run(['stop'])
  } finally {
    // Killing may take turns with starting: a command under way can be about to start a gateway.
    for (let left = leftOn(machine, folder); left.length > 0; left = leftOn(machine, folder)) {
      for (const pid of left) kill(pid)
      await Promise.all(left.map(gone))
    }
    machine[Symbol.dispose]()
  }
}

/** Whoever has this machine's home as its own, as far as the system tells; and the gateway that wrote itself down. */
function leftOn({ home }: Machine, folder: string): readonly number[] {
  const isOfMachine = (pid: number): boolean =>
    readIfThere(`/proc/${pid}/environ`).split('\0').includes(`HOME=${home}`)
  const processes = existsSync('/proc/self/environ') ? readdirSync('/proc').map(Number) : []
  const recorded = /"pid":(\d+)/.exec(readIfThere(`${folder}/gateway.json`))?.[1]
  return [...new Set([...processes.filter((pid) => pid > 0 && isOfMachine(pid)), Number(recorded)])].filter(
    (pid) => pid > 0 && isAlive(pid),
  )
}

/** Empty when it is not there, or not there any more. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it was quicker
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

/** Says this on the socket, a line each, and gives all that is answered behind the greeting. */
export function speak(socket: string, ...said: readonly unknown[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const pipe = connect(socket)
    let text = ''
    pipe.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    pipe.on('error', reject)
    pipe.on('close', () => resolve(text.replace(/^\{"say":"hello".*\n/, '')))
    for (const one of said) pipe.write(`${typeof one === 'string' ? one : JSON.stringify(one)}\n`)
  })
}
