/**
 * conversation: the messages between a user and a model, and the turns that add to them.
 *
 * in     the typed text: a prompt, or the command of a server's prompt
 * out    how the turn ended; its events go to the session
 * never  runs two turns at once: the caller waits for the end of the previous one
 */
import type { ModelMessage } from 'ai'
import { findNearest } from '../../base/edit-distance.ts'
import { toPrintableLines } from '../../base/printable.ts'
import { untilAborted } from '../../base/until-aborted.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import type { Platform } from '../../world/world.ts'
import type { Tell } from './agent/events.ts'
import { noModel, unknownCommand } from './agent/problems.ts'
import type { TurnEnd } from './agent/turn.ts'
import type { ModelSelection } from './model-desk.ts'
import { readLine } from './read-line.ts'

export interface Conversation {
  /**
   * Rejects with a ProblemError when nothing could be sent, and with the signal's reason when it was cancelled before.
   */
  answer(text: string, signal: AbortSignal): Promise<TurnEnd['kind']>
  /** Drops all messages, also those of the current turn. */
  forget(): void
}

export interface ConversationContext {
  readonly board: Promise<Board>
  readonly platform: Platform
  readonly model: Pick<ModelSelection, 'get' | 'open'>
  /** For suggestions when the user mistypes a command. */
  commandNames(): Promise<readonly string[]>
  tell: Tell
  print(lines: readonly string[]): void
}

export function createConversation(desk: ConversationContext): Conversation {
  let messages: readonly ModelMessage[] = []
  return {
    async answer(text, signal) {
      const board = await untilAborted(desk.board, signal)
      const prompt = await toPrompt(desk, board, { text, signal })
      const model = await desk.model.open()
      if (model === undefined) return readAlone(desk, text, prompt)
      const [{ runTurn }, { INSTRUCTIONS }] = await Promise.all([
        import('./agent/turn.ts'),
        import('./agent/instructions.ts'),
      ])
      const before = messages
      const agent = { board, model, instructions: INSTRUCTIONS }
      const turn = await runTurn(agent, before, prompt, { signal, tell: desk.tell })
      // Unless the user cleared the conversation meanwhile.
      if (messages === before) messages = turn.messages
      return turn.end.kind
    },
    // A new list, so that it differs from an earlier empty one.
    forget: () => void (messages = []),
  }
}

interface Typed {
  readonly text: string
  readonly signal: AbortSignal
}

async function toPrompt(desk: ConversationContext, board: Board, { text, signal }: Typed): Promise<string> {
  if (text.startsWith('/')) return fillIn(desk, board, { text, signal })
  const { addMentions } = await import('./mentions.ts')
  return addMentions(board, text, signal)
}

async function fillIn(desk: ConversationContext, board: Board, { text, signal }: Typed): Promise<string> {
  const { name, words } = readLine(text)
  const { fillPrompt, serverPrompts } = await import('./server-prompts.ts')
  const prompts = serverPrompts(board)
  const found = prompts.find(({ command }) => command === name)
  if (found !== undefined) return fillPrompt(board, found, { words, signal, platform: desk.platform })
  const names = [...(await desk.commandNames()), ...prompts.map(({ command }) => command)]
  throw new ProblemError(unknownCommand(name, findNearest(name, names)))
}

/** A prompt of a server can be read without a model. */
function readAlone(desk: ConversationContext, typed: string, prompt: string): TurnEnd['kind'] {
  if (!typed.startsWith('/')) throw new ProblemError(noModel())
  desk.print(toPrintableLines(prompt).split('\n'))
  return 'done'
}
