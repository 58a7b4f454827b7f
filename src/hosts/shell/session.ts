/**
 * session: what happens behind the screen: servers are connected, prompts answered, commands run, questions asked.
 *
 * in     effects, as they follow from keys; a board, as soon as there is one
 * out    events for the store
 * never  delays the first paint: files are read and servers started when the screen is there; leaves a process behind
 */
import { findNearest } from '../../base/edit-distance.ts'
import type { Problem } from '../../model/problem.ts'
import { ProblemError } from '../../problem/problem.ts'
import { openBoard, type Board } from '../../runtime/board.ts'
import type { LoadHow } from '../../runtime/catalog-loader.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { CommandContext } from '../shared/context.ts'
import { showFolder } from '../shared/show-path.ts'
import { toProblem } from '../shared/to-problem.ts'
import type { SessionEvent } from './agent/events.ts'
import type { TurnEnd } from './agent/turn.ts'
import { unknownCommand } from './agent/problems.ts'
import { askTrust } from './ask-trust.ts'
import { lookAgain, toShown, type Known } from './changes.ts'
import { completeInput } from './complete-input.ts'
import type { ShellContext, SlashCommand } from './context.ts'
import { createConversation, type Conversation } from './conversation.ts'
import { createDemo, withDemo, type Demo } from './demo/demo.ts'
import { createElicitAnswerers } from './elicit.ts'
import { appendHistory, mayHoldSecret, readHistory } from './history.ts'
import { keepMedia, type NamedMedia } from './keep-media.ts'
import { createModelDesk, type ModelDesk } from './model-desk.ts'
import { createPermissionAsker } from './permission-question.ts'
import { createQuestions, hasRoom, type Ask } from './questions.ts'
import { readLine } from './read-line.ts'
import { createState, type Block, type Effect } from './state.ts'
import { createStore, type Store } from './store.ts'

export interface Session {
  readonly store: Store
  /** Settles when the user wants to leave. Rejects when there is nothing to be done with the configuration. */
  run(): Promise<void>
  /** As if the user had. */
  leave(): void
  /** Ends all that runs, and every server. */
  close(): Promise<void>
}

/** What shows the store's state. */
export interface Front {
  /** Draws an image, where that can be done. */
  draw(sequence: string): void
}

export interface SessionParts {
  readonly commands: readonly SlashCommand[]
  readonly front: () => Front | undefined
  /** Whether the bundled server is there from the start. */
  readonly demo: 'on' | 'off'
}

const TICK_MS = 100

const NO_SERVERS = 'no servers are configured yet: /mcp add adds one, /demo tries one out that comes along'

const NO_MODEL =
  'no model is configured yet: set ANTHROPIC_API_KEY or OPENAI_API_KEY before you start, or see /model; commands, tools and resources work without'

export function createSession(context: CommandContext, parts: SessionParts): Session {
  return new LiveSession(context, parts)
}

class LiveSession implements Session {
  readonly store: Store
  readonly #context: CommandContext
  readonly #parts: SessionParts
  readonly #demo: Demo
  readonly #over = new AbortController()
  readonly #questions = createQuestions((asked) =>
    this.store.send({ type: 'asked', asked, at: this.#context.world.clock.now() }),
  )
  readonly #board: Promise<Board>
  #openBoard!: (board: Promise<Board>) => void
  readonly #model: ModelDesk
  readonly #conversation: Conversation
  readonly #running = new Set<AbortController>()
  /** Of the turn that runs. */
  #turnRunning: AbortController | undefined
  readonly #work = new Set<Promise<void>>()
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
    this.#model = createModelDesk(context, {
      onChoice: (model) => this.store.send({ type: 'model', model }),
      onProblem: (problem) => this.#report([problem]),
    })
    this.#conversation = createConversation({
      board: this.#board,
      platform: world.platform,
      model: this.#model,
      commandNames: parts.commands.map(({ name }) => name),
      tell: (event) => this.#tell(event),
      print: (lines) => this.#print({ kind: 'lines', lines }),
    })
    this.store.onChange(() => this.#tick())
    this.#note(`Plugboard ${context.version} in ${showFolder(world.cwd, world)}`)
  }

  async run(): Promise<void> {
    const { terminal } = this.#context
    const stopResizing = terminal.onResize(() => this.store.send({ type: 'resized', size: terminal.size() }))
    const { signal } = this.#over
    const left = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      // Keys are heard before this is: who has left already is not told again.
      if (signal.aborted) resolve()
    })
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

  leave(): void {
    this.#over.abort()
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
    const isApproved = await askTrust(
      { world, ask: this.#ask, paint, note: (line) => this.#note(line), signal: this.#over.signal },
      loaded,
    )
    if (isApproved && !this.#over.signal.aborted) await board.reload()
    // The way to a first server, and to a model, for who has none.
    if (loaded.catalog.entries.length === 0) this.#note(NO_SERVERS)
    if (this.#model.get() === undefined) this.#note(NO_MODEL)
  }

  async #connect(): Promise<Board> {
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
    this.#model.begin(this.#loaded!.model)
  }

  #look(board: Board): void {
    const seen = board.snapshot()
    this.store.send({ type: 'servers', servers: seen.servers.map(toShown) })
    const { known, lines } = lookAgain(this.#known, seen)
    this.#known = known
    for (const line of lines) this.#note(line)
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case 'turn':
        this.#remember(effect.text)
        return this.#track(this.#turn(effect.text))
      case 'command':
        this.#remember(effect.text)
        return this.#track(this.#command(effect.text))
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

  #remember(text: string): void {
    if (this.#loaded !== undefined && !mayHoldSecret(text))
      appendHistory(this.#context.world, this.#historyFile(), text)
  }

  /** One at a time: the state gives the next one out when it is told of the end, which therefore always comes. */
  async #turn(text: string): Promise<void> {
    this.store.send({ type: 'turn-began', at: this.#context.world.clock.now() })
    const controller = new AbortController()
    this.#running.add(controller)
    this.#turnRunning = controller
    let end: TurnEnd['kind'] = 'failed'
    try {
      end = await this.#conversation.answer(text, controller.signal)
    } catch (error) {
      // Whoever stopped it knows that it did not come to an end.
      if (controller.signal.aborted) end = 'aborted'
      else this.#report([toProblem(error, this.#context.version)])
    } finally {
      this.#running.delete(controller)
      this.#turnRunning = undefined
      this.store.send({ type: 'turn-ended', end })
    }
  }

  async #command(line: string): Promise<void> {
    const controller = new AbortController()
    this.#running.add(controller)
    this.store.send({ type: 'command-began' })
    try {
      const { name, words } = readLine(line)
      const command = await this.#requireCommand(name)
      await command.run(this.#shellContext(await this.#board, controller.signal), words)
    } catch (error) {
      if (!controller.signal.aborted) throw error
      this.#note('stopped')
    } finally {
      this.#running.delete(controller)
      this.store.send({ type: 'command-ended' })
    }
  }

  async #requireCommand(name: string): Promise<SlashCommand> {
    const { commands } = this.#parts
    const found = commands.find((one) => one.name === name || one.aliases?.includes(name) === true)
    if (found !== undefined) return found
    const names = commands.map((one) => one.name)
    throw new ProblemError(unknownCommand(name, findNearest(name, names)))
  }

  #tell(event: SessionEvent): void {
    this.store.send({ type: 'told', event, at: this.#context.world.clock.now() })
    if (event.type !== 'tool-result') return
    const { name, result } = event
    this.#keepMedia({ name: result.details?.mcpToolName ?? name, media: result.media })
  }

  #keepMedia(named: NamedMedia): void {
    const { world } = this.#context
    const desk = {
      world,
      folder: world.paths.join(this.#loaded!.dirs.cache, 'media'),
      note: (line: string) => this.#note(line),
      report: (problems: readonly Problem[]) => this.#report(problems),
      draw: (sequence: string) => this.#parts.front()?.draw(sequence),
    }
    keepMedia(desk, named)
  }

  /** Details for which there is no room above a question are printed: what is agreed to must be seen. */
  readonly #ask: Ask = (question, options) => {
    const { lines = [] } = question
    if (hasRoom(lines, this.#context.terminal.size())) return this.#questions.ask(question, options)
    this.#print({ kind: 'lines', lines })
    const short: typeof question = { ...question, lines: [] }
    return this.#questions.ask(short, options)
  }

  async #complete({ text, cursor }: Extract<Effect, { kind: 'complete' }>): Promise<void> {
    if (this.#loaded === undefined) return
    const board = await this.#board
    const context = this.#shellContext(board, this.#over.signal)
    const { from, items } = await completeInput(context, this.#parts.commands, text.slice(0, cursor))
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
          isAwaited: true,
          signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
        }),
      model: this.#model,
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
      keepMedia: (media) => this.#keepMedia(media),
      clear: () => {
        this.#conversation.forget()
        this.#turnRunning?.abort()
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
    const { turn, calls, busy, question } = this.store.state()
    const isDeaf = question?.deafUntil !== undefined
    const isMoving = turn !== undefined || calls.length > 0 || busy !== undefined || isDeaf
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
