/**
 * agent: the nouns of a session: who answers, with which tools, and what it wants called.
 */
import type { LanguageModel, ModelMessage, SystemModelMessage, ToolSet } from 'ai'
import type { Profile } from '../../../model/profile.ts'
import type { ModelProvider } from '../../../model/settings.ts'
import type { Board } from '../../../runtime/board.ts'
import type { Tell } from './events.ts'

export type AgentBoard = Pick<Board, 'tools' | 'builtinTools' | 'call' | 'systemPromptSection'>

export interface Agent {
  readonly board: AgentBoard
  readonly model: OpenModel
  /** Before the board's own section. */
  readonly instructions: string
  /** How often a model is asked within one turn. Default: 100. */
  readonly maxSteps?: number | undefined
}

export interface OpenModel {
  /** `anthropic/claude-sonnet-4-5`. */
  readonly label: string
  readonly provider: ModelProvider
  readonly baseUrl: string
  /** Whose rules the tools' schemas must fit. */
  readonly profile: Profile
  /** Whether it takes images in results of tools. */
  readonly images: 'send' | 'name'
  open(): Promise<LanguageModel>
  /** A request, marked so that the provider keeps what does not change. */
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

/** What a request is made with, beside the conversation. */
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
