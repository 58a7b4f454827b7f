/**
 * header-arguments: the headers that a call of a tool over HTTP must repeat from its arguments (`x-mcp-header`).
 */
import type { Params } from '../model/message.ts'
import type { ListedTool } from '../model/offering.ts'
import { toParamHeaders } from '../pipeline/list/param-headers.ts'

/** Name and value, in the encoding that the revision requires. */
export function headersOfCall(tool: ListedTool, args: Params): readonly (readonly [string, string])[] {
  return Object.entries(toParamHeaders(tool, args))
}
