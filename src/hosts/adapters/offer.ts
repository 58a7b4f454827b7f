/** offer: what the adapters share. */
import type { Media, ToolResult } from '../../model/outcome.ts'
import type { Profile } from '../../model/profile.ts'
import type { Board } from '../../runtime/board.ts'
import { asBoardTool } from '../../runtime/builtin-tools.ts'
import type { CallOptions } from '../../runtime/call-tool.ts'
import { argumentsFor, fitTools, type FittedTool } from '../../runtime/tools-for.ts'
import type { BoardTool } from '../../runtime/tools.ts'

/** A board, or a fork of one. */
export type ToolBoard = Pick<Board, 'tools' | 'builtinTools' | 'call'>

export type RunOptions = Pick<CallOptions, 'signal' | 'timeoutMs' | 'maxDurationMs' | 'onProgress'>

export interface OfferOptions {
  /** Called for each tool whose schema cannot be made acceptable to the provider. */
  readonly onLeftOut?: ((tool: BoardTool, reason: string) => void) | undefined
}

export type FittingTool = Extract<FittedTool, { kind: 'fits' }>

export function offer(
  board: ToolBoard,
  profiles: readonly [Profile, ...Profile[]],
  { onLeftOut }: OfferOptions,
): readonly FittingTool[] {
  const tools = [...board.tools(), ...board.builtinTools().map(asBoardTool)]
  return fitTools(tools, profiles).flatMap((one) => {
    if (one.kind === 'fits') return [one]
    onLeftOut?.(one.tool, one.reason)
    return []
  })
}

export function toDataUrl({ mimeType, data }: Media): string {
  return `data:${mimeType};base64,${data}`
}

export type Answer = Pick<ToolResult, 'text' | 'isError' | 'media' | 'structuredContent'>

export interface WrittenCall {
  readonly name: string
  /** The model's text. Empty text counts as an object without properties. */
  readonly input: unknown
}

/** Rejects with ToolAbortError only. */
export function answerCall(
  board: ToolBoard,
  { name, input }: WrittenCall,
  options: RunOptions,
): Promise<Answer> {
  return board.call(name, (tool) => argumentsFor(tool, input), options)
}
