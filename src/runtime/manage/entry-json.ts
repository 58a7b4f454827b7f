/**
 * entry-json: an entry that somebody has as a text → a plain object.
 *
 * in     `{ "command": … }`, or the same inside of `{ "mcpServers": { … } }`, as READMEs show it; comments may be in it
 * out    the entry as it is, unchecked
 */
import { findAt, type ConfigNode } from '../../model/document.ts'
import { parseDocument } from '../../pipeline/discover/site.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { JsonObject, JsonValue } from '../definition-json.ts'
import { invalidEntry, severalEntries } from './add-problems.ts'

/** Throws `manage/invalid`, `manage/several`. */
export async function readEntryJson(name: string, text: string): Promise<JsonObject> {
  const place = { file: 'the JSON given', source: 'plugboard', scope: 'user' } as const
  const { document, problem } = await parseDocument(place, text)
  if (document === undefined) throw new ProblemError(invalidEntry([problem!]))
  const servers = MAPS.map((key) => findAt(document.root, [key])).find((map) => map?.kind === 'object')
  const node = servers === undefined ? document.root : findEntry(servers, name)
  const value = toValue(node)
  return value as JsonObject
}

/** Under which READMEs show their servers. */
const MAPS = ['mcpServers', 'servers']

/** The one of this name, or the only one. */
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
