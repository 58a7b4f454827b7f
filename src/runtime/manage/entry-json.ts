/**
 * entry-json: an entry as JSON text → a plain object.
 *
 * in     `{ "command": … }`, or the same inside of `{ "mcpServers": { … } }`, as READMEs show it; comments are allowed
 * out    the entry as it is, unchecked
 */
import { describeKind, findAt, findLineStarts, locate, type ConfigNode } from '../../model/document.ts'
import { parseText } from '../../pipeline/discover/formats/parse-text.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { JsonObject, JsonValue } from '../definition-json.ts'
import { notAnObject, severalEntries, unparseableEntry } from './add-problems.ts'

/** Throws `manage/invalid`, `manage/several`. */
export async function readEntryJson(name: string, text: string): Promise<JsonObject> {
  const parsed = await parseText(text, 'json')
  if (parsed.kind === 'fault')
    throw new ProblemError(unparseableEntry(parsed.message, locate(findLineStarts(text), parsed.start)))
  const { root } = parsed
  const servers = MAPS.map((key) => findAt(root, [key])).find((map) => map?.kind === 'object')
  const node = servers === undefined ? root : findEntry(servers, name)
  if (node.kind !== 'object') throw new ProblemError(notAnObject(describeKind(node)))
  const value = toValue(node)
  return value as JsonObject
}

/** The keys under which READMEs show their servers. */
const MAPS = ['mcpServers', 'servers']

/** The entry of this name, or the only entry. */
function findEntry(servers: ConfigNode, name: string): ConfigNode {
  const members = servers.kind === 'object' ? servers.members : []
  const found = members.findLast(({ key }) => key === name) ?? (members.length === 1 ? members[0] : undefined)
  if (found === undefined)
    throw new ProblemError(
      severalEntries(
        name,
        members.map(({ key }) => key),
      ),
    )
  return found.value
}

function toValue(node: ConfigNode): JsonValue {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(toValue)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, toValue(value)]))
}
