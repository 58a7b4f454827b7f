/**
 * plugboard: the built command as its users run it, a child process with a home and a project of its own.
 *
 * in     a map of paths, `~/…` for the home and `./…` for the project, to what stands there
 * out    exit code, stdout and stderr of each run
 * never  lets a run outlive its time limit, sees the environment of the tests, or leaves a folder behind
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noteFiles } from '../leaks/printed.ts'

export const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

/** What the package installs as `plugboard`. */
export const BIN = join(DIST, 'bin.js')

/** A run takes a twentieth of a second; whatever takes this long hangs. */
const LIMIT_MS = 30_000

const COMMAND = [process.execPath, BIN]

export type Files = Readonly<Record<string, string | Uint8Array | object>>

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Default: the project. */
  readonly cwd?: string
  /** What starts the command. Default: Node with the built file. */
  readonly start?: readonly string[]
  /** What is piped into it. Default: nothing is there. */
  readonly input?: string
  /** There is a pipe, nothing comes through it, and nobody ends it. */
  readonly leavesInputOpen?: true
  /** Ctrl-C, once stdout says this. */
  readonly interruptAt?: string
  /** Ctrl-C, once this is there. */
  readonly interruptWhen?: Promise<unknown>
  /** Gets all of stderr so far, whenever there is more of it. */
  readonly onErrorOutput?: (said: string) => unknown
}

export interface Machine extends Disposable {
  readonly home: string
  readonly project: string
  /** A folder with nothing in it but the command `plugboard`. */
  readonly bin: string
  /** What starts the command: Node with the built file. */
  readonly command: readonly string[]
  /** The absolute path of `~/…` or `./…`. */
  at(path: string): string
  /** Text and bytes as they are, anything else as JSON. */
  write(files: Files): void
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** As `run` with `--json`: what stdout says. */
  json(args: readonly string[], options?: RunOptions): Promise<unknown>
  /** Text with the temporary paths as `~` and `.`. */
  shorten(text: string): string
}

export function openMachine(files: Files = {}): Machine {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-test-')))
  const [home, project, bin] = ['home', 'home/project', 'bin'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(home)
  mkdirSync(bin)
  writeFileSync(join(bin, 'plugboard'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {
    mode: 0o755,
  })
  // A git root, so that nothing above the temporary folder counts.
  mkdirSync(join(project, '.git'), { recursive: true })

  const written = new Set<string>()
  const machine: Machine = {
    home,
    project,
    bin,
    command: COMMAND,
    at: (path) => path.replace(/^~(?=\/|$)/, () => home).replace(/^\.(?=\/|$)/, () => project),
    write(more) {
      for (const [path, content] of Object.entries(more)) {
        written.add(machine.at(path))
        mkdirSync(dirname(machine.at(path)), { recursive: true })
        writeFileSync(machine.at(path), toBytes(content))
      }
    },
    run: (args, { env = {}, cwd = project, start = COMMAND, ...more } = {}) =>
      runChild([...start, ...args], {
        ...more,
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: home, PLUGBOARD_KEYCHAIN: 'off', ...env },
      }),
    async json(args, options) {
      const { stdout } = await machine.run([...args, '--json'], options)
      return JSON.parse(stdout)
    },
    shorten: (text) => text.replaceAll(`${project}/`, './').replaceAll(home, '~'),
    [Symbol.dispose]() {
      noteFiles(root, (file) => written.has(file))
      rmSync(root, { recursive: true, force: true })
    },
  }
  machine.write(files)
  return machine
}

/** Programs that do nothing. Gives the folder they are in. */
export function putPrograms(machine: Machine, folder: string, names: readonly string[]): string {
  for (const name of names) {
    machine.write({ [`${folder}/${name}`]: '#!/bin/sh\n' })
    chmodSync(machine.at(`${folder}/${name}`), 0o755)
  }
  return machine.at(folder)
}

function toBytes(content: Files[string]): string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content)
}

interface ChildOptions extends Pick<
  RunOptions,
  'input' | 'leavesInputOpen' | 'interruptAt' | 'interruptWhen' | 'onErrorOutput'
> {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Rejects when the child does not end by itself. */
export function runChild(
  [program, ...args]: readonly string[],
  { cwd, env, input, leavesInputOpen, interruptAt, interruptWhen, onErrorOutput }: ChildOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    // In a group of its own, so that the time limit ends what the child started, too.
    const child = spawn(program!, args, {
      cwd,
      env,
      detached: true,
      stdio: [input === undefined && leavesInputOpen === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (leavesInputOpen === undefined) child.stdin?.end(input)
    void interruptWhen?.then(() => child.kill('SIGINT'))
    let [stdout, stderr] = ['', '']
    const timer = setTimeout(() => {
      process.kill(-child.pid!, 'SIGKILL')
      reject(new Error(`no end after ${LIMIT_MS / 1000} s: ${args.join(' ')}\n${stdout}\n${stderr}`))
    }, LIMIT_MS)
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      const hadCome = interruptAt === undefined || stdout.includes(interruptAt)
      stdout += chunk
      if (!hadCome && stdout.includes(interruptAt)) child.kill('SIGINT')
    })
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
      onErrorOutput?.(stderr)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code === null) reject(new Error(`ended by ${signal}: ${args.join(' ')}\n${stderr}`))
      else resolve({ code, stdout, stderr })
    })
  })
}
