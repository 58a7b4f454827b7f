/**
 * paste-login: `plugboard login --no-browser` by somebody who opens the page elsewhere, and pastes where it ends; or
 * `--device`, by somebody who has nothing to paste.
 *
 * in     a machine, the rest of the command line, and what is pasted once the page is known
 * out    what the command printed, and its exit code
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { BIN, type Machine, type Ran } from './plugboard.ts'

export interface PasteLogin {
  /** Default: `--no-browser`. */
  readonly way?: '--no-browser' | '--device'
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The lines, for the page that was printed. */
  paste(page: string): Promise<readonly string[]>
}

/** With `--device`, the one in which the code is already typed in. */
const PAGES = { '--no-browser': /^ {2}(http\S+)$/m, '--device': /^\(or open (http\S+)\)$/m }

export async function pasteLogin(
  machine: Machine,
  { way = '--no-browser', args, env, paste }: PasteLogin,
): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, 'login', way, ...args], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off', ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const page = new Promise<string>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      const found = PAGES[way].exec(stderr)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const closed = once(child, 'close')
  for (const line of await paste(await page)) child.stdin.write(`${line}\n`)
  const [code] = (await closed) as [number]
  return { code, stdout, stderr }
}
