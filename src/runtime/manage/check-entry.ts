/**
 * check-entry: an entry that nobody has written yet, read as it will be read from the file.
 *
 * in     a name and a plain object
 * out    the definition it makes, and what is odd about it
 * never  writes, starts or reaches anything
 */
import type { ServerDefinition } from '../../model/definition.ts'
import { findAt, type ConfigDocument } from '../../model/document.ts'
import type { FoundEntry } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'
import { parseDocument } from '../../pipeline/discover/site.ts'
import { normalize } from '../../pipeline/normalize/normalize.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { JsonObject } from '../definition-json.ts'
import { badName, invalidEntry } from './add-problems.ts'

export interface CheckedEntry {
  readonly definition: ServerDefinition
  readonly warnings: readonly Problem[]
}

/** Throws `manage/bad-name`, `manage/invalid`. */
export async function checkEntry(world: World, name: string, entry: JsonObject): Promise<CheckedEntry> {
  if (!isName(name)) throw new ProblemError(badName(name))
  const place = { file: 'mcp.json', source: 'plugboard', scope: 'user' } as const
  const text = JSON.stringify({ mcpServers: { [name]: entry } }, undefined, 2)
  const { document, problem } = await parseDocument(place, text)
  if (document === undefined) throw new ProblemError(invalidEntry([problem!]))
  const normalized = normalize(toFound(world, name, document), world)
  if (normalized.kind === 'invalid') throw new ProblemError(invalidEntry(normalized.problems))
  if (normalized.kind === 'unsupported') throw new ProblemError(invalidEntry([normalized.problem]))
  return { definition: normalized.definition, warnings: normalized.warnings.map(withoutPlace) }
}

/** It is a place in a text that nobody has. */
function withoutPlace({ code, severity, message, notes, hints }: Problem): Problem {
  return { code, severity, message, notes, hints }
}

/** As we write names; in other agents' files there are others. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,100}$/.test(name)
}

function toFound(world: World, name: string, document: ConfigDocument): FoundEntry {
  return {
    name,
    origin: { file: document.file, line: 1, column: 1, source: 'plugboard', scope: 'user' },
    rank: 0,
    reach: 'user',
    dialect: 'plugboard',
    document,
    node: findAt(document.root, ['mcpServers', name])!,
    variables: {},
    baseDir: world.cwd,
  }
}
