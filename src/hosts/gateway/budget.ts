/**
 * budget: how much text of one result a client gets.
 *
 * in     the result of a call, which the board has cut and saved where it was too long
 * out    the result as the server sent it; where it was cut, with a preview in place of its texts, and a link to the whole
 * never  touches what fits, what is no text, or `structuredContent`, which clients hold against the schema of the tool
 */
import { isObject } from '../../base/is-object.ts'
import type { ToolResult } from '../../model/outcome.ts'
import type { CallOptions } from '../../runtime/call-tool.ts'
import { holderOf, type Caller } from './caller.ts'
import type { KeptResult, KeptResults } from './kept-results.ts'
import { isOwner } from './principal.ts'

export interface ResultBudget {
  /** With which the call is made. */
  readonly options: Pick<CallOptions, 'maxResultTokens' | 'tellPlace' | 'holder'>
  fit(result: ToolResult): ToolResult
}

/** As the board estimates them. */
const BYTES_PER_TOKEN = 4

export function budgetOf(
  { results, maxResultTokens }: { readonly results: KeptResults; readonly maxResultTokens: () => number },
  caller: Caller,
): ResultBudget {
  const maxTokens = maxResultTokens()
  const isOwners = isOwner(caller.sighting?.begun.principal)
  let kept: KeptResult | undefined
  return {
    options: {
      maxResultTokens: maxTokens,
      holder: isOwners ? undefined : holderOf(caller),
      tellPlace({ file, text, bytes }) {
        const partBytes = maxTokens * BYTES_PER_TOKEN
        kept = results.keep(text, { file, bytes, partBytes, holder: holderOf(caller) })
        const { uri, parts } = kept
        const resource = `in the resource ${uri} (in parts that fit: ${uri}?part=1 to ?part=${parts})`
        // Where something is on this machine is of no use to somebody else, and says who its user is.
        return isOwners ? `in ${file}, and ${resource}` : resource
      },
    },
    fit: (result) =>
      result.details.isCut === true
        ? withPreview(result, caller.knowsLinks ? kept?.link : undefined)
        : result,
  }
}

/** One text where the first was, for all of them; everything else stays where it is. */
function withPreview(cut: ToolResult, link: object | undefined): ToolResult {
  const { result, text } = cut
  if (result === undefined) return cut
  const preview = { type: 'text', text }
  const content = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : []
  const at = Math.max(0, content.findIndex(isText))
  const kept = (blocks: readonly unknown[]): readonly unknown[] => blocks.filter((block) => !isText(block))
  const blocks = [...kept(content.slice(0, at)), preview, ...kept(content.slice(at))]
  return { ...cut, result: { ...result, content: link === undefined ? blocks : [...blocks, link] } }
}

function isText(block: unknown): boolean {
  if (!isObject(block)) return true
  if (block['type'] === 'text') return true
  const { resource } = block
  return block['type'] === 'resource' && isObject(resource) && typeof resource['text'] === 'string'
}
