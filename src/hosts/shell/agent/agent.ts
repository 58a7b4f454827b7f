/** agent: the types of an agent session: the model, its tools, and the calls that it requests. */
import type { LanguageModel, ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import type { Profile } from '../../../model/profile.ts'
import type { ModelProvider } from '../../../model/settings.ts'
import type { Board } from '../../../runtime/board.ts'
import type { Tell } from './events.ts'

export type AgentBoard = Pick<Board, 'tools' | 'builtinTools' | 'call' | 'systemPromptSection'>

export interface Agent {
  readonly board: AgentBoard
  readonly model: OpenModel
  /** Precede the board's own section. */
  readonly instructions: string
  /** The most requests to a model within one turn. Default: 100. */
  readonly maxSteps?: number | undefined
}

export interface OpenModel {
  /** `anthropic/claude-sonnet-4-5`. */
  readonly label: string
  readonly provider: ModelProvider
  readonly baseUrl: string
  /** The provider whose rules the tools' schemas must follow. */
  readonly profile: Profile
  /** Whether it accepts images in results of tools. */
  readonly images: 'send' | 'name'
  open(): Promise<LanguageModel>
  /** A request with marks, so that the provider caches the parts that do not change. */
  cached(request: ModelRequest): MarkedRequest
  after(ms: number, step: () => void): void
}

export interface ModelRequest {
  readonly system: string
  readonly messages: ModelMessage[]
}

export interface MarkedRequest {
  readonly system: string | SystemModelMessage
  readonly messages: ModelMessage[]
}

/** What a request needs beside the conversation. */
export interface Prepared {
  readonly model: OpenModel
  readonly system: string
  readonly tools: ToolSet
}

export interface TurnOptions {
  readonly signal: AbortSignal
  readonly tell: Tell
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}
