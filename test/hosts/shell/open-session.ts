/**
 * open-session: a ShellContext without a screen: a real board on the files of a scratch home, the command line as it is, and a
 * person whose answers are written down beforehand.
 */
import { runCli } from '../../../src/hosts/cli/run-cli.ts'
import { chooseModel, type ModelChoice } from '../../../src/hosts/shell/agent/model.ts'
import { lookAgain, type Known } from '../../../src/hosts/shell/changes.ts'
import type { ShellContext } from '../../../src/hosts/shell/context.ts'
import { createDemo } from '../../../src/hosts/shell/demo/demo.ts'
import type { NamedMedia } from '../../../src/hosts/shell/keep-media.ts'
import type { Question } from '../../../src/hosts/shell/questions.ts'
import { readLine } from '../../../src/hosts/shell/read-line.ts'
import { SLASH_COMMANDS } from '../../../src/hosts/shell/slash/commands.ts'
import { NO_COLORS } from '../../../src/hosts/shared/paint.ts'
import type { Mode } from '../../../src/model/permission.ts'
import type { Problem } from '../../../src/model/problem.ts'
import { ProblemError } from '../../../src/problem/problem.ts'
import { openBoard, type BoardOptions } from '../../../src/runtime/board.ts'
import { loadCatalog, type LoadOptions } from '../../../src/runtime/load-catalog.ts'
import { until } from '../../boards/watch.ts'
import { createScratch, type Scratch } from '../../worlds/scratch.ts'

export interface TestSession extends AsyncDisposable {
  readonly context: ShellContext
  readonly scratch: Scratch
  /** What was printed and noted, in order; problems as `code: message`. */
  readonly shown: string[]
  readonly notes: string[]
  readonly problems: Problem[]
  readonly asked: Question[]
  readonly kept: NamedMedia[]
  readonly happened: ('clear' | 'quit')[]
  /** Runs a line, and gives what it showed. */
  type(line: string): Promise<string>
  /** Resolves with the first note that says so, old or new. */
  untilNoted(part: string): Promise<string>
  /** Resolves with how many tools a server has, once it has some. */
  untilTools(server: string): Promise<number>
}

export interface SessionOptions extends Omit<BoardOptions, 'load'> {
  readonly servers?: Readonly<Record<string, object>>
  readonly files?: Readonly<Record<string, object>>
  /** In turn; a function makes one for the question. */
  readonly answers?: readonly Given[]
  readonly model?: string
  readonly scratch?: Scratch
}

type Given = string | undefined | ((question: Question) => string | undefined)

const LIMIT_MS = 15_000

export async function openSession(options: SessionOptions = {}): Promise<TestSession> {
  const { servers = {}, files = {}, answers = [], scratch = createScratch(), model, ...more } = options
  scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: servers }, undefined, 2))
  for (const [path, content] of Object.entries(files)) scratch.write(path, JSON.stringify(content))
  const { world } = scratch
  const { dirs } = await loadCatalog(world, { enabled: false })
  const demo = createDemo(world, () => dirs)
  const load = (how?: LoadOptions): ReturnType<typeof loadCatalog> =>
    loadCatalog(world, { ...how, servers: demo.servers() })
  const board = await openBoard(world, {
    wait: 'all',
    inProcess: demo.inProcess,
    ...more,
    // Who watches sees which files are read.
    load: ({ world: seen, ...how }) => loadCatalog(seen, { ...how, servers: demo.servers() }),
  })

  const [shown, notes, asked, kept, problems]: [string[], string[], Question[], NamedMedia[], Problem[]] = [
    [],
    [],
    [],
    [],
    [],
  ]
  const happened: TestSession['happened'] = []
  const waiting = new Set<() => void>()
  const left = [...answers]
  let [mode, choice]: [Mode, ModelChoice | undefined] = ['default', undefined]
  if (model !== undefined) choice = chooseModel({ named: model, env: {} })
  const note = (line: string): void => {
    notes.push(line)
    shown.push(line)
    for (const look of waiting) look()
  }
  const context: ShellContext = {
    world,
    version: 'test',
    board,
    paint: NO_COLORS,
    columns: () => 100,
    signal: new AbortController().signal,
    load,
    print: (lines) => void shown.push(...(typeof lines === 'string' ? [lines] : lines)),
    note,
    report: (found) => {
      problems.push(...found)
      shown.push(...found.flatMap(({ message, hints }) => [message, ...hints]))
    },
    busy: () => undefined,
    ask: async (question) => {
      asked.push(question)
      const given = left.shift()
      // Each kind of question is answered in its way by the test that expects it.
      return (typeof given === 'function' ? given(question) : given) as never
    },
    model: {
      get: () => choice,
      set: (named) => (choice = chooseModel({ named, setting: choice, env: {} })!),
    },
    mode: {
      get: () => mode,
      set: async (next) => {
        mode = next
        ;(await board.permissions()).setMode(next)
      },
    },
    demo,
    command: (argv, terminal) =>
      runCli({
        argv,
        world,
        terminal,
        version: 'test',
        hosts: { headless: none, shell: none, demo: none },
        gateway: none,
      }),
    keepMedia: (media) => void kept.push(media),
    clear: () => void happened.push('clear'),
    quit: () => void happened.push('quit'),
  }
  let known: Known | undefined
  const look = (): void => {
    const looked = lookAgain(known, board.snapshot())
    known = looked.known
    for (const line of looked.lines) note(line)
  }
  look()
  const stopWatching = board.on('change', look)
  return {
    context,
    scratch,
    shown,
    notes,
    problems,
    asked,
    kept,
    happened,
    async type(line) {
      const before = shown.length
      await run(context, line)
      return shown.slice(before).join('\n')
    },
    async untilTools(server) {
      const count = (): number => board.tools().filter((one) => one.server === server).length
      await until(board, () => count() > 0)
      return count()
    },
    untilNoted(part) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`nobody noted ${part}: ${JSON.stringify(shown)}`))
        }, LIMIT_MS)
        const look = (): void => {
          const found = notes.find((line) => line.includes(part))
          if (found === undefined) return
          clearTimeout(timer)
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })
    },
    async [Symbol.asyncDispose]() {
      stopWatching()
      await board.close()
      scratch[Symbol.dispose]()
    },
  }
}

/** As the shell does it. */
async function run(context: ShellContext, line: string): Promise<void> {
  try {
    const { name, words } = readLine(line)
    const command = SLASH_COMMANDS.find((one) => one.name === name || one.aliases?.includes(name) === true)
    await command!.run(context, words)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    context.report([error.problem])
  }
}

function none(): never {
  throw new Error('no slash command asks for another host')
}
