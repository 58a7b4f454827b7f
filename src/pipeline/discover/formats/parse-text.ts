/**
 * parse-text: the text of a configuration file → tree, or the first fault in it.
 *
 * Most JSON files are plain and without a fault: the reader at hand is for those. The parsers that know all of a format
 * and can say what is wrong are loaded when they are needed, because they are slow to load and slow to run once.
 */
import { MAX_DEPTH } from '../../../base/depth.ts'
import { findTooDeep, findTooManyDots } from '../../../base/bracket-depth.ts'
import type { ConfigNode } from '../../../model/document.ts'
import { parseJson } from './json.ts'
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
    // Nested too deeply; or a pattern that has to go back over many megabytes has run out of stack.
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
}

/** Without the reader for plain JSON, which must come to the same tree. Tests compare the two. */
export async function parseCarefully(text: string, format: Format): Promise<ParsedText> {
  const tooDeep = format === 'toml' ? findDeepToml(text) : undefined
  if (tooDeep !== undefined) return nestedTooDeeply(tooDeep)
  try {
    return (await loadParser(format))(text)
  } catch (error) {
    // The parsers recurse; a file of a hundred thousand brackets ends here and not in a crash.
    if (!(error instanceof RangeError)) throw error
    return nestedTooDeeply(0)
  }
}

/** Dots count more roughly than brackets, because values have them too. The reader of the tree counts exactly. */
function findDeepToml(text: string): number | undefined {
  return findTooDeep(text, MAX_DEPTH) ?? findTooManyDots(text, 10 * MAX_DEPTH)
}

export function formatOf(file: string): Format {
  if (file.endsWith('.toml')) return 'toml'
  return file.endsWith('.yaml') || file.endsWith('.yml') ? 'yaml' : 'json'
}

async function loadParser(format: Format): Promise<(text: string) => ParsedText> {
  if (format === 'json') return parseJson
  if (format === 'toml') return (await import('./toml.ts')).parseToml
  return (await import('./yaml.ts')).parseYaml
}
