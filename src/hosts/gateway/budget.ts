/**
 * budget: limits how much text of one result a client gets.
 *
 * in     the result of a call, which the board has cut and saved where it was too long
 * out    the result as the server sent it; where the board cut it, a preview in place of its texts and a link to the
 *        whole
 * never  changes what fits, what is not text, or `structuredContent`, which clients check against the schema of the
 *        tool
 */
import { isObject } from '../../base/is-object.ts'
import type { ToolResult } from '../../model/outcome.ts'
import type { CallOptions } from '../../runtime/call-tool.ts'
import { holderOf, type Caller } from './caller.ts'
import type { KeptResult, KeptResults } from './kept-results.ts'
import { isOwner } from './principal.ts'

export interface ResultBudget {
  /** The call options that this budget sets. */
  readonly options: Pick<CallOptions, 'maxResultTokens' | 'tellPlace' | 'holder'>
  fit(result: ToolResult): ToolResult
}

/** The board estimates with the same number. */
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
        // A path on this machine is of no use to another user, and it reveals the user name of the owner.
        return isOwners ? `in ${file}, and ${resource}` : resource
      },
    },
    fit: (result) =>
      result.details.isCut === true
        ? withPreview(result, caller.knowsLinks ? kept?.link : undefined)
        : result,
  }
}

/** Puts one text at the place of the first, for all of them. Everything else stays where it is. */
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
