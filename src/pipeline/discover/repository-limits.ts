/**
 * repository-limits: how much a file of a repository may hold.
 *
 * These files are read before their user has approved anything, in every command that runs in that folder. They are far
 * beyond what a project needs, and small enough that no file delays a command. A user's own files have no such limits.
 */
import { MAX_FILE_BYTES } from '../../world/world.ts'
import type { ConfigDocument, ConfigNode } from '../../model/document.ts'
import type { Scope, SourceId } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { tooManyValues } from './problems.ts'

const MAX_BYTES = 1024 * 1024

/** Servers, fields, arguments, references to variables: each costs time, above all where each is a warning. */
const MAX_VALUES = 5000

/** The parser for TOML takes 25 µs for each, so they are counted before it sees them. */
const MAX_TOML_MARKS = 20_000

export function maxBytesOf(scope: Scope): number {
  return scope === 'project' ? MAX_BYTES : MAX_FILE_BYTES
}

type Owner = { readonly source: SourceId; readonly scope: Scope }

/** What is wrong with the text, before it is parsed. */
export function checkRepositoryText(document: ConfigDocument, owner: Owner): Problem | undefined {
  const isCounted = owner.scope === 'project' && document.file.endsWith('.toml')
  const at = isCounted ? findMark(document.text, MAX_TOML_MARKS) : undefined
  if (at === undefined) return undefined
  const limit = `${MAX_TOML_MARKS} dots, commas, brackets, equals signs and comments`
  return tooManyValues(document, { start: at, end: at + 1 }, { owner, limit })
}

/** What is wrong with the tree. */
export function checkRepositoryTree(document: ConfigDocument, owner: Owner): Problem | undefined {
  const node = owner.scope === 'project' ? findValue(document.root, MAX_VALUES) : undefined
  return node && tooManyValues(document, node, { owner, limit: `${MAX_VALUES} values and references` })
}

/** The first one beyond the limit. */
function findMark(text: string, limit: number): number | undefined {
  let count = 0
  for (const { index } of text.matchAll(/[.,=[{#]/g)) if (++count > limit) return index
  return undefined
}

/** One beyond the limit. Stops there, so that aliases, which share what they name, cannot multiply the work. */
function findValue(root: ConfigNode, limit: number): ConfigNode | undefined {
  const waiting: ConfigNode[] = [root]
  let count = 0
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    count += 1 + countReferences(node)
    if (count > limit) return node
    if (node.kind === 'array') for (const item of node.items) waiting.push(item)
    if (node.kind === 'object') for (const { value } of node.members) waiting.push(value)
  }
  return undefined
}

/** What may be one: every dialect's begins with one of these. */
function countReferences(node: ConfigNode): number {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return 0
  return node.value.match(/[$%]|\{(?:env|file):/g)?.length ?? 0
}
