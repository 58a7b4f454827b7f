/**
 * parse-text: parses the text of a configuration file into a tree, or reports its first fault.
 *
 * Most JSON files are plain and have no fault, so the fast reader parses them. The full parsers, which can name a
 * fault, are loaded only when needed: they are slow to load, and slow when they run only once.
 */
import { MAX_DEPTH } from '../../../base/depth.ts'
import { findTooDeep, findTooManyDots } from '../../../base/bracket-depth.ts'
import type { ConfigNode } from '../../../model/document.ts'
import { LONG_CHARS, parseLongJson } from './long-json.ts'
import { nestedTooDeeply, type ParsedText } from './parsed-text.ts'
import { parsePlainJson } from './plain-json.ts'

export type Format = 'json' | 'toml' | 'yaml'

export async function parseText(text: string, format: Format): Promise<ParsedText> {
  if (text.trim() === '')
    return { kind: 'tree', root: { kind: 'object', start: 0, end: text.length, members: [] } }
  const root = format === 'json' ? parsePlainly(text) : undefined
  return root === undefined ? parseCarefully(text, format) : { kind: 'tree', root }
}

function parsePlainly(json: string): ConfigNode | undefined {
  try {
    const long = json.length > LONG_CHARS ? parseLongJson(json) : undefined
    return long ?? parsePlainJson(json)
  } catch (error) {
    // The text is nested too deeply, or a pattern that backtracks over many megabytes has used up the stack.
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

/** Skips the reader for plain JSON. The tree must be the same; tests compare the two. */
export async function parseCarefully(text: string, format: Format): Promise<ParsedText> {
  const tooDeep = format === 'toml' ? findDeepToml(text) : undefined
  if (tooDeep !== undefined) return nestedTooDeeply(tooDeep)
  try {
    return (await loadParser(format))(text)
  } catch (error) {
    // The parsers recurse. A file of a hundred thousand brackets ends here instead of a crash.
    if (!(error instanceof RangeError)) throw error
    return nestedTooDeeply(0)
  }
}

/** This count is rougher than that of brackets, because values have dots too. The reader of the tree counts exactly. */
function findDeepToml(text: string): number | undefined {
  return findTooDeep(text, MAX_DEPTH) ?? findTooManyDots(text, 10 * MAX_DEPTH)
}

export function formatOf(file: string): Format {
  if (file.endsWith('.toml')) return 'toml'
  return file.endsWith('.yaml') || file.endsWith('.yml') ? 'yaml' : 'json'
}

async function loadParser(format: Format): Promise<(text: string) => ParsedText> {
  if (format === 'json') return (await import('./json.ts')).parseJson
  if (format === 'toml') return (await import('./toml.ts')).parseToml
  return (await import('./yaml.ts')).parseYaml
}
