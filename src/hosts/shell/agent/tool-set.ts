/**
 * tool-set: the tools of a board as `ai` declares them, without an executor: we dispatch the calls.
 *
 * out    the same value until the board's list is another one, in the board's order, so that a provider's cache holds
 */
import type { ToolSet } from 'ai'
import type { Profile } from '../../../model/profile.ts'
import { asBoardTool } from '../../../runtime/builtin-tools.ts'
import { toolsFor } from '../../../runtime/tools-for.ts'
import type { AgentBoard } from './agent.ts'

export interface ToolSets {
  of(board: AgentBoard, profile: Profile): Promise<ToolSet>
}

interface Made {
  readonly tools: unknown
  readonly builtins: unknown
  readonly profile: Profile
  readonly set: ToolSet
}

export function createToolSets(): ToolSets {
  const made = new WeakMap<AgentBoard, Made>()
  return {
    async of(board, profile) {
      const tools = board.tools()
      const builtins = board.builtinTools()
      const before = made.get(board)
      const isSame = before?.tools === tools && before.builtins === builtins && before.profile === profile
      if (isSame) return before.set
      const { declareTools } = await import('./ai-sdk.ts')
      const set = declareTools([...builtins.map(asBoardTool), ...toolsFor(tools, profile).tools])
      made.set(board, { tools, builtins, profile, set })
      return set
    },
  }
}
