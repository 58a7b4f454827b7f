/**
 * parse-text: the text of a configuration file → tree, or the first fault in it.
 *
 * JSON is always at hand; the parsers of TOML and YAML are loaded when such a file is there.
 */
import { parseJson } from './json.ts'
import type { ParsedText } from './parsed-text.ts'

export type Format = 'json' | 'toml' | 'yaml'

export async function parseText(text: string, format: Format): Promise<ParsedText> {
  if (text.trim() === '')
    return { kind: 'tree', root: { kind: 'object', start: 0, end: text.length, members: [] } }
  const tooDeep = format === 'json' ? undefined : findTooDeep(text)
  if (tooDeep !== undefined) return nestedTooDeeply(tooDeep)
  try {
    return (await loadParser(format))(text)
  } catch (error) {
    // The parsers recurse; a file of a hundred thousand brackets ends here and not in a crash.
    if (!(error instanceof RangeError)) throw error
    return nestedTooDeeply(0)
  }
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

function nestedTooDeeply(start: number): ParsedText {
  return { kind: 'fault', message: 'it is nested too deeply', start, end: start + 1 }
}

/** Far beyond any configuration. */
const MAX_DEPTH = 200

/** Brackets; and in YAML, where a run of dashes or a wide indentation is as good as brackets, those. */
const NESTING = new RegExp(`[[{\\]}]|(?:[-?] +){${MAX_DEPTH}}|^ {${MAX_DEPTH}}`, 'gm')

/**
 * Where a text goes too deep, roughly: brackets in strings count too. TOML and YAML are parsed with regular
 * expressions, and V8 ends the whole process when it has to compile one while the stack is nearly full, so there would
 * be no RangeError to catch.
 */
function findTooDeep(text: string): number | undefined {
  let depth = 0
  for (const { 0: found, index } of text.matchAll(NESTING)) {
    if (found === ']' || found === '}') depth = Math.max(0, depth - 1)
    else if (found.length > 1 || ++depth > MAX_DEPTH) return index
  }
  return undefined
}
