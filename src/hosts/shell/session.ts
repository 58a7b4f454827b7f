/**
 * session: what happens behind the screen: servers are connected, prompts answered, commands run, questions asked.
 *
 * in     effects, as they follow from keys; a board, as soon as there is one
 * out    events for the store
 * never  delays the first paint: files are read and servers started when the screen is there; leaves a process behind
 */
import type { ModelMessage } from 'ai'
import { findNearest } from '../../base/edit-distance.ts'
import { toPrintableLines } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import type { LoadHow } from '../../runtime/catalog-loader.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { CommandContext } from '../shared/context.ts'
import { imagesOf } from '../shared/images.ts'
import { saveMediaTo } from '../shared/media-files.ts'
import { showFolder, showPath } from '../shared/show-path.ts'
import { toProblem } from '../shared/to-problem.ts'
import type { OpenModel } from './agent/agent.ts'
import type { SessionEvent } from './agent/events.ts'
import { chooseModel, type ModelChoice } from './agent/model.ts'
import { noModel, unknownCommand } from './agent/problems.ts'
import { askTrust } from './ask-trust.ts'
import { lookAgain, toShown, type Known } from './changes.ts'
import type { ShellContext, SlashCommand } from './context.ts'
import { createDemo, withDemo, type Demo } from './demo/demo.ts'
import { createElicitAnswerers } from './elicit.ts'
import { appendHistory, readHistory } from './history.ts'
import { createPermissionAsker } from './permission-question.ts'
import { createQuestions, type Ask } from './questions.ts'
import { imageSequence } from './show-image.ts'
import { createState, type Block, type Effect } from './state.ts'
import { createStore, type Store } from './store.ts'

export interface Session {
  readonly store: Store
  /** Settles when the user wants to leave. Rejects when there is nothing to be done with the configuration. */
  run(): Promise<void>
  /** Ends all that runs, and every server. */
  close(): Promise<void>
}

/** What shows the store's state. */
export interface Front {
  /** Draws an image, where that can be done. */
  draw(sequence: string): void
}

export interface SessionParts {
  readonly commands: () => Promise<readonly SlashCommand[]>
  readonly front: () => Front | undefined
  /** Whether the bundled server is there from the start. */
  readonly demo: 'on' | 'off'
}

const TICK_MS = 100

const NO_SERVERS = 'no servers are configured yet: /mcp add adds one, /demo tries one out that comes along'

export function createSession(context: CommandContext, parts: SessionParts): Session {
  return new LiveSession(context, parts)
}

class LiveSession implements Session {
  readonly store: Store
  readonly #context: CommandContext
  readonly #parts: SessionParts
  readonly #demo: Demo
  readonly #over = new AbortController()
  readonly #questions = createQuestions((asked) => this.store.send({ type: 'asked', asked }))
  readonly #board: Promise<Board>
  #openBoard!: (board: Promise<Board>) => void
  readonly #running = new Set<AbortController>()
  readonly #work = new Set<Promise<void>>()
  #messages: readonly ModelMessage[] = []
  #choice: ModelChoice | undefined
  #model: { readonly of: ModelChoice; readonly open: Promise<OpenModel> } | undefined
  #loaded: LoadedCatalog | undefined
  #known: Known | undefined
  #isTicking = false

  constructor(context: CommandContext, parts: SessionParts) {
    this.#demo = createDemo(context.world, () => this.#loaded!.dirs)
    this.#demo.turn(parts.demo)
    this.#context = withDemo(context, this.#demo)
    this.#parts = parts
    const { terminal, world, flags } = context
    const mode = flags['plan'] === true ? 'plan' : 'default'
    const first = createState({ size: terminal.size(), mode, now: world.clock.now() })
    this.store = createStore(first, (effect) => this.#perform(effect))
    this.#board = new Promise((resolve) => (this.#openBoard = resolve))
    this.store.onChange(() => this.#tick())
    this.#note(`Plugboard ${context.version} in ${showFolder(world.cwd, world)}`)
  }

  async run(): Promise<void> {
    const { terminal } = this.#context
    const stopResizing = terminal.onResize(() => this.store.send({ type: 'resized', size: terminal.size() }))
    const left = new Promise<void>((resolve) =>
      this.#over.signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    try {
      const started = this.#start()
      // Whoever types before the board is there waits for it, and not for ever.
      started.catch(() => this.#over.abort())
      await left
      await started
    } finally {
      stopResizing()
    }
  }

  async close(): Promise<void> {
    this.#over.abort()
    for (const one of this.#running) one.abort()
    this.#questions.close()
    await Promise.allSettled(this.#work)
    // Where no file has been read, nothing was started.
    if (this.#loaded !== undefined) await (await this.#board).close()
  }

  async #start(): Promise<void> {
    const { world, paint } = this.#context
    this.#openBoard(this.#connect())
    const board = await this.#board
    this.#look(board)
    board.on('change', () => this.#look(board))
    const loaded = this.#loaded!
    const problems = loaded.catalog.problems.filter(({ severity }) => severity === 'error')
    if (problems.length > 0) this.#report(problems)
    const { mode } = (await board.permissions()).current()
    this.store.send({ type: 'mode', mode })
    const isApproved = await askTrust({ world, ask: this.#ask, paint }, loaded)
    if (isApproved && !this.#over.signal.aborted) await board.reload()
    // The way to a first server, for who has none.
    if (loaded.catalog.entries.length === 0) this.#note(NO_SERVERS)
  }

  async #connect(): Promise<Board> {
    const { openBoard } = await import('../../runtime/board.ts')
    const { world, version, flags, paint, terminal } = this.#context
    const desk = { ask: this.#ask, paint, columns: () => terminal.size().columns }
    return openBoard(world, {
      load: (how) => this.#load(how),
      watch: true,
      wait: 'moment',
      inProcess: this.#demo.inProcess,
      client: { name: 'plugboard', version },
      words: 'slash',
      mode: flags['plan'] === true ? 'plan' : 'default',
      ask: createPermissionAsker(desk),
      handlers: {
        elicit: createElicitAnswerers({ ...desk, browser: world.browser, note: (text) => this.#note(text) }),
      },
    })
  }

  /** A file of the line that breaks while the shell is open does not end it. */
  async #load({ world, readings, connectors }: LoadHow): Promise<LoadedCatalog> {
    const before = this.#loaded
    try {
      this.#loaded = await this.#context.load({ readings, connectors: connectors ?? 'fetch' }, world)
    } catch (error) {
      if (before === undefined || !(error instanceof ProblemError)) throw error
      this.#report([error.problem])
      return before
    }
    if (before === undefined) this.#begin()
    return this.#loaded
  }

  /** What the files say of the shell itself. */
  #begin(): void {
    const history = readHistory(this.#context.world, this.#historyFile())
    this.store.send({ type: 'history', history })
    this.#chooseModel(undefined)
  }

  #look(board: Board): void {
    const { servers } = board.snapshot()
    this.store.send({ type: 'servers', servers: servers.map(toShown) })
    const { known, lines } = lookAgain(this.#known, servers)
    this.#known = known
    for (const line of lines) this.#note(line)
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'submit':
        return this.#track(this.#submit(effect.text))
      case 'abort':
        for (const one of this.#running) one.abort()
        return
      case 'answer':
        return this.#questions.answer(effect.id, effect.answer)
      case 'complete':
        return this.#track(this.#complete(effect))
      case 'quit':
        this.#over.abort()
    }
  }

  #track(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => this.#report([toProblem(error, this.#context.version)]))
    this.#work.add(settled)
    void settled.finally(() => this.#work.delete(settled))
  }

  async #submit(text: string): Promise<void> {
    if (this.#loaded !== undefined) appendHistory(this.#context.world, this.#historyFile(), text)
    if (text.startsWith('/')) await this.#command(text)
    else await this.#prompt(text)
  }

  /** What a command or a turn runs under: Esc aborts it. */
  async #abortable(step: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController()
    this.#running.add(controller)
    try {
      await step(controller.signal)
    } catch (error) {
      // Whoever stopped it knows that it did not come to an end.
      if (!controller.signal.aborted) throw error
      this.#note('stopped')
    } finally {
      this.#running.delete(controller)
    }
  }

  async #command(line: string): Promise<void> {
    const [name = '', ...words] = splitWords(line.slice(1))
    const board = await this.#board
    const commands = await this.#parts.commands()
    const command = commands.find((one) => one.name === name || one.aliases?.includes(name) === true)
    this.store.send({ type: 'command-began' })
    try {
      await this.#abortable(async (signal) => {
        if (command !== undefined) await command.run(this.#shellContext(board, signal), words)
        else await this.#serverPrompt(board, { name, words, signal, commands })
      })
    } finally {
      this.store.send({ type: 'command-ended' })
    }
  }

  async #serverPrompt(
    board: Board,
    given: {
      readonly name: string
      readonly words: readonly string[]
      readonly signal: AbortSignal
      readonly commands: readonly SlashCommand[]
    },
  ): Promise<void> {
    const { fillPrompt, serverPrompts } = await import('./server-prompts.ts')
    const prompts = serverPrompts(board)
    const found = prompts.find(({ command }) => command === given.name)
    if (found === undefined) {
      const names = [...given.commands.map(({ name }) => name), ...prompts.map(({ command }) => command)]
      throw new ProblemError(unknownCommand(given.name, findNearest(given.name, names)))
    }
    const { platform } = this.#context.world
    const text = await fillPrompt(board, found, { ...given, platform })
    // Without a model it can be read all the same.
    if (this.#choice === undefined) this.#print({ kind: 'lines', lines: toPrintableLines(text).split('\n') })
    else await this.#turn(text)
  }

  async #prompt(text: string): Promise<void> {
    const board = await this.#board
    await this.#abortable(async (signal) => {
      const { addMentions } = await import('./mentions.ts')
      await this.#turn(await addMentions(board, text, signal))
    })
  }

  async #turn(prompt: string): Promise<void> {
    const { clock } = this.#context.world
    const board = await this.#board
    const model = await this.#openModel()
    if (model === undefined) return this.#report([noModel()])
    const [{ runTurn }, { INSTRUCTIONS }] = await Promise.all([
      import('./agent/turn.ts'),
      import('./agent/instructions.ts'),
    ])
    this.store.send({ type: 'turn-began', at: clock.now() })
    await this.#abortable(async (signal) => {
      const agent = { board, model, instructions: INSTRUCTIONS }
      const tell = (event: SessionEvent): void => this.#tell(event)
      const turn = await runTurn(agent, this.#messages, prompt, { signal, tell })
      this.#messages = turn.messages
      this.store.send({ type: 'turn-ended', end: turn.end })
    })
  }

  #tell(event: SessionEvent): void {
    this.store.send({ type: 'told', event, at: this.#context.world.clock.now() })
    if (event.type === 'tool-result' && event.result.media.length > 0) this.#showMedia(event)
  }

  /** Saved whether or not they can be shown: a picture that scrolls away is still somewhere. */
  #showMedia({ name, result }: Extract<SessionEvent, { type: 'tool-result' }>): void {
    const { world } = this.#context
    const folder = world.paths.join(this.#loaded!.dirs.cache, 'media')
    const saved = saveMediaTo(world, result.media, {
      folder,
      name: result.details?.mcpToolName ?? name,
      mode: 0o600,
    })
    for (const { file, kind } of saved.files) this.#note(`${kind} saved: ${showPath(file, world)}`)
    if (saved.problems.length > 0) this.#report(saved.problems)
    for (const image of imagesOf(result)) {
      const sequence = imageSequence(image, world.env)
      if (sequence !== undefined) this.#parts.front()?.draw(sequence)
    }
  }

  #chooseModel(named: string | undefined): void {
    const { world, flags } = this.#context
    const line = typeof flags['model'] === 'string' ? flags['model'] : undefined
    try {
      this.#choice = chooseModel({ named: named ?? line, setting: this.#loaded?.model, env: world.env })
    } catch (error) {
      if (named !== undefined) throw error
      this.#report([toProblem(error, this.#context.version)])
    }
    const { provider, id } = this.#choice ?? {}
    this.store.send({ type: 'model', model: id === undefined ? undefined : `${provider}/${id}` })
  }

  async #openModel(): Promise<OpenModel | undefined> {
    const choice = this.#choice
    if (choice === undefined) return undefined
    if (this.#model?.of !== choice) {
      const { openModel } = await import('./agent/model.ts')
      this.#model = { of: choice, open: openModel(this.#context.world, choice) }
    }
    try {
      return await this.#model.open
    } catch (error) {
      // A key may be there the next time.
      this.#model = undefined
      throw error
    }
  }

  /** Details for which there is no room above a question are printed: what is agreed to must be seen. */
  readonly #ask: Ask = (question, options) => {
    const { lines = [] } = question
    const count = lines.flatMap((line) => line.split('\n')).length
    const hasRoom = count <= this.#context.terminal.size().rows - 14
    if (hasRoom) return this.#questions.ask(question, options)
    this.#print({ kind: 'lines', lines })
    const short: typeof question = { ...question, lines: [] }
    return this.#questions.ask(short, options)
  }

  async #complete({ text, cursor }: Extract<Effect, { kind: 'complete' }>): Promise<void> {
    if (this.#loaded === undefined) return
    const board = await this.#board
    const { completeInput } = await import('./complete-input.ts')
    const context = this.#shellContext(board, this.#over.signal)
    const { from, items } = await completeInput(context, await this.#parts.commands(), text.slice(0, cursor))
    this.store.send({ type: 'completed', text, completion: { from, to: cursor, items, index: undefined } })
  }

  #shellContext(board: Board, signal: AbortSignal): ShellContext {
    const { world, version, paint, terminal } = this.#context
    return {
      world,
      version,
      board,
      paint,
      signal,
      columns: () => terminal.size().columns,
      load: (options) => this.#context.load(options),
      print: (lines) => this.#print({ kind: 'lines', lines: typeof lines === 'string' ? [lines] : lines }),
      note: (line) => this.#note(line),
      report: (problems) => this.#report(problems),
      busy: (text) => this.store.send({ type: 'busy', text, at: world.clock.now() }),
      ask: (question, options = {}) =>
        this.#ask(question, {
          ...options,
          signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
        }),
      model: {
        get: () => this.#choice,
        set: (named) => {
          this.#chooseModel(named)
          return this.#choice!
        },
      },
      mode: {
        get: () => this.store.state().mode,
        set: async (mode) => {
          const permissions = await board.permissions()
          permissions.setMode(mode)
          this.store.send({ type: 'mode', mode: permissions.current().mode })
        },
      },
      demo: this.#demo,
      command: this.#context.command,
      submit: (prompt) => this.#turn(prompt),
      fill: (text) => this.store.send({ type: 'filled', text }),
      clear: () => {
        this.#messages = []
        this.store.send({ type: 'cleared' })
      },
      quit: () => this.#over.abort(),
    }
  }

  #print(block: Block): void {
    this.store.send({ type: 'printed', block })
  }

  #note(text: string): void {
    this.#print({ kind: 'note', text })
  }

  #report(problems: readonly Problem[]): void {
    this.#print({ kind: 'problems', problems })
  }

  #historyFile(): string {
    return this.#context.world.paths.join(this.#loaded!.dirs.state, 'shell-history.jsonl')
  }

  /** As long as something turns or counts on the screen. */
  #tick(): void {
    const { turn, calls, busy } = this.store.state()
    const isMoving = turn !== undefined || calls.length > 0 || busy !== undefined
    if (!isMoving || this.#isTicking || this.#over.signal.aborted) return
    this.#isTicking = true
    const { clock } = this.#context.world
    const tick = (): void => {
      this.#isTicking = false
      this.store.send({ type: 'tick', at: clock.now() })
    }
    clock.after(TICK_MS, tick, 'loose')
  }
}

/** Words in quotes are one. */
export function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  )
}
