/**
 * start-gateway: the built command, as a person starts it: `plugboard serve --http 0`.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { BIN } from '../../processes/plugboard.ts'

export interface StartedGateway {
  readonly child: ChildProcess
  readonly url: URL
  readonly exit: Promise<number | null>
}

export async function startGateway(home: string, cwd: string): Promise<StartedGateway> {
  const child = spawn(process.execPath, [BIN, 'serve', '--http', '0'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      const found = /serving (\S+\/mcp)/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    void exit.then(() => reject(new Error(said)))
  })
  return { child, url: new URL(url), exit }
}
