/**
 * find-tool: the tool that a name stands for, among those of a board.
 *
 * The table is made once for each list that `board.tools()` gives, and goes with it.
 */
import { tabulate, type ToolTable } from '../pipeline/name/look-up.ts'
import type { BoardTool } from './tools.ts'

const TABLES = new WeakMap<readonly BoardTool[], ToolTable<BoardTool>>()

/** By the name the model sees. */
export function findTool(tools: readonly BoardTool[], name: string): BoardTool | undefined {
  return tableOf(tools).byName(name)
}

/** By what the server calls it. */
export function findToolOf(tools: readonly BoardTool[], server: string, tool: string): BoardTool | undefined {
  return tableOf(tools).byPair(server, tool)
}

function tableOf(tools: readonly BoardTool[]): ToolTable<BoardTool> {
  const known = TABLES.get(tools)
  if (known !== undefined) return known
  const table = tabulate(tools)
  TABLES.set(tools, table)
  return table
}
