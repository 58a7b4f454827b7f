/**
 * open: a board in a world of its own, on real servers, closed with the test.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Board, BoardOptions } from '../../src/runtime/board.ts'
import { openBoard } from '../../src/runtime/board.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

/** The entry of one of the programs in `test/servers`. */
export function serverEntry(program: string, ...args: readonly string[]): object {
  const file = fileURLToPath(new URL(`../servers/${program}.mjs`, import.meta.url))
  return { command: process.execPath, args: [file, ...args] }
}

/** The entry of an official example server. */
export function officialEntry(name: string, ...args: readonly string[]): object {
  const file = fileURLToPath(
    new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  )
  return { command: process.execPath, args: [file, ...args] }
}

export interface TestBoard extends AsyncDisposable {
  readonly board: Board
  readonly scratch: Scratch
  readonly servers: Record<string, object>
}

export type TestOptions = Omit<BoardOptions, 'load'> & {
  readonly env?: Readonly<Record<string, string>>
  /** The home of a board before this one: what it remembers is still known. */
  readonly scratch?: Scratch
}

/** `servers` may be changed by the test before a reload. */
export async function openTestBoard(
  servers: Record<string, object>,
  { env = {}, scratch = createScratch(env), ...options }: TestOptions = {},
): Promise<TestBoard> {
  const board = await openBoard(scratch.world, {
    ...options,
    load: () => loadCatalog(scratch.world, { servers, strict: true, trustFolder: true }),
  })
  return {
    board,
    scratch,
    servers,
    async [Symbol.asyncDispose]() {
      await board.close()
      scratch[Symbol.dispose]()
    },
  }
}

/** Whether a process runs. One that is over, and that only its parent has not yet taken note of, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
