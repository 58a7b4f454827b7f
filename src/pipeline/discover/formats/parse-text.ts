/**
 * parse-text: the text of a configuration file → tree, or the first fault in it.
 *
 * JSON is always at hand; the parsers of TOML and YAML are loaded when such a file is there.
 */
import type { ConfigNode } from '../../../model/document.ts'
import { parseJson } from './json.ts'

export type Format = 'json' | 'toml' | 'yaml'

export type ParsedText =
  | { readonly kind: 'tree'; readonly root: ConfigNode }
  | { readonly kind: 'fault'; readonly message: string; readonly start: number; readonly end: number }

export async function parseText(text: string, format: Format): Promise<ParsedText> {
  if (text.trim() === '')
    return { kind: 'tree', root: { kind: 'object', start: 0, end: text.length, members: [] } }
  try {
    return (await loadParser(format))(text)
  } catch (error) {
    // The parsers recurse; a file of a hundred thousand brackets ends here and not in a crash.
    if (!(error instanceof RangeError)) throw error
    return { kind: 'fault', message: 'it is nested too deeply', start: 0, end: 1 }
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
