/**
 * conversation: what was said between a person and a model, and the turns that make it longer.
 *
 * in     what was typed: a prompt, or the command of a server's prompt
 * out    how the turn ended; what it tells goes to the desk
 * never  runs two turns at once: whoever calls waits for the end of the one before
 */
import type { ModelMessage } from 'ai'
import { findNearest } from '../../base/edit-distance.ts'
import { toPrintableLines } from '../../base/printable.ts'
import { untilAborted } from '../../base/until-aborted.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import type { Platform } from '../../world/world.ts'
import type { Tell } from './agent/events.ts'
import { INSTRUCTIONS } from './agent/instructions.ts'
import { noModel, unknownCommand } from './agent/problems.ts'
import { runTurn, type TurnEnd } from './agent/turn.ts'
import { addMentions } from './mentions.ts'
import type { ModelDesk } from './model-desk.ts'
import { readLine } from './read-line.ts'
import { fillPrompt, serverPrompts } from './server-prompts.ts'

export interface Conversation {
  /** Rejects with a ProblemError when nothing could be sent, and with the signal's reason when it was given up before. */
  answer(text: string, signal: AbortSignal): Promise<TurnEnd['kind']>
  /** What was said counts no more; a turn that runs belongs to what is forgotten. */
  forget(): void
}

export interface ConversationDesk {
  readonly board: Promise<Board>
  readonly platform: Platform
  readonly model: Pick<ModelDesk, 'get' | 'open'>
  /** For who mistypes. */
  readonly commandNames: readonly string[]
  tell: Tell
  print(lines: readonly string[]): void
}

export function createConversation(desk: ConversationDesk): Conversation {
  let messages: readonly ModelMessage[] = []
  return {
    async answer(text, signal) {
      const board = await untilAborted(desk.board, signal)
      const prompt = await toPrompt(desk, board, { text, signal })
      const model = await desk.model.open()
      if (model === undefined) return readAlone(desk, text, prompt)
      const before = messages
      const agent = { board, model, instructions: INSTRUCTIONS }
      const turn = await runTurn(agent, before, prompt, { signal, tell: desk.tell })
      // Unless it was forgotten meanwhile.
      if (messages === before) messages = turn.messages
      return turn.end.kind
    },
    // Another list, so that it is told from an empty one of before.
    forget: () => void (messages = []),
  }
}

interface Typed {
  readonly text: string
  readonly signal: AbortSignal
}

async function toPrompt(desk: ConversationDesk, board: Board, { text, signal }: Typed): Promise<string> {
  if (text.startsWith('/')) return fillIn(desk, board, { text, signal })
  return addMentions(board, text, signal)
}

async function fillIn(desk: ConversationDesk, board: Board, { text, signal }: Typed): Promise<string> {
  const { name, words } = readLine(text)
  const prompts = serverPrompts(board)
  const found = prompts.find(({ command }) => command === name)
  if (found !== undefined) return fillPrompt(board, found, { words, signal, platform: desk.platform })
  const names = [...desk.commandNames, ...prompts.map(({ command }) => command)]
  throw new ProblemError(unknownCommand(name, findNearest(name, names)))
}

/** The prompt of a server can be read without a model. */
function readAlone(desk: ConversationDesk, typed: string, prompt: string): TurnEnd['kind'] {
  if (!typed.startsWith('/')) throw new ProblemError(noModel())
  desk.print(toPrintableLines(prompt).split('\n'))
  return 'done'
}
