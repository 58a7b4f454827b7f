/**
 * repository-limits: limits the size of a file in a repository.
 *
 * Every command in the folder reads these files, before the user has approved anything. The limits are far above what a
 * project needs, and low enough that no file delays a command. The user's own files have no such limits.
 */
import { MAX_FILE_BYTES } from '../../world/world.ts'
import type { ConfigDocument, ConfigNode } from '../../model/document.ts'
import type { Scope, SourceId } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { tooManyValues } from './problems.ts'

const MAX_BYTES = 1024 * 1024

/** Servers, fields, arguments, and references to variables. Each costs time, above all if each gives a warning. */
const MAX_VALUES = 5000

/** The TOML parser takes 25 µs for each of these characters, so Plugboard counts them before it parses. */
const MAX_TOML_MARKS = 20_000

export function maxBytesOf(scope: Scope): number {
  return scope === 'project' ? MAX_BYTES : MAX_FILE_BYTES
}

type Owner = { readonly source: SourceId; readonly scope: Scope }

/** The fault of the text, before it is parsed. */
export function checkRepositoryText(document: ConfigDocument, owner: Owner): Problem | undefined {
  const isCounted = owner.scope === 'project' && document.file.endsWith('.toml')
  const at = isCounted ? findMark(document.text, MAX_TOML_MARKS) : undefined
  if (at === undefined) return undefined
  const limit = `${MAX_TOML_MARKS} dots, commas, brackets, equals signs and comments`
  return tooManyValues(document, { start: at, end: at + 1 }, { owner, limit })
}

/** The fault of the tree. */
export function checkRepositoryTree(document: ConfigDocument, owner: Owner): Problem | undefined {
  const node = owner.scope === 'project' ? findValue(document.root, MAX_VALUES) : undefined
  return node && tooManyValues(document, node, { owner, limit: `${MAX_VALUES} values and references` })
}

/** The first mark beyond the limit. */
function findMark(text: string, limit: number): number | undefined {
  let count = 0
  for (const { index } of text.matchAll(/[.,=[{#]/g)) if (++count > limit) return index
  return undefined
}

/**
 * The first value beyond the limit. The search stops there, so that aliases, which share a node, cannot multiply the
 * work.
 */
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

/** Counts what may be a reference: in every dialect a reference begins with one of these characters. */
function countReferences(node: ConfigNode): number {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return 0
  return node.value.match(/[$%]|\{(?:env|file):/g)?.length ?? 0
}
