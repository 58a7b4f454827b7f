/**
 * tool-set: declares the tools of a board for `ai`, without an executor: Plugboard dispatches the calls.
 *
 * out    the same value until the board's list changes, in the board's order, so that a provider's cache stays valid
 */
import type { ToolSet } from 'ai'
import type { Profile } from '../../../model/profile.ts'
import { asBoardTool } from '../../../runtime/builtin-tools.ts'
import { toolsFor } from '../../../runtime/tools-for.ts'
import type { BoardTool } from '../../../runtime/tools.ts'
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
      const set = await declare([...builtins.map(asBoardTool), ...toolsFor(tools, profile).tools])
      made.set(board, { tools, builtins, profile, set })
      return set
    },
  }
}

async function declare(tools: readonly BoardTool[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await import('ai')
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({
        ...(description === undefined ? {} : { description }),
        inputSchema: jsonSchema({ ...inputSchema }),
      }),
    ]),
  )
}
