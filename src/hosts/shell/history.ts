/**
 * history: the input of earlier sessions, one JSON text per line, in a file that only its user can read.
 *
 * never  fails: without it everything else works; stores what `mayHoldSecret` rejects
 */
import type { World } from '../../world/world.ts'

const MODE = 0o600
const MAX_BYTES = 256 * 1024
const MAX_ENTRIES = 500

export function readHistory({ files }: World, file: string): readonly string[] {
  const read = files.read(file)
  if (read.kind !== 'text') return []
  return read.text.split('\n').flatMap(parseEntry).slice(-MAX_ENTRIES)
}

function parseEntry(line: string): readonly string[] {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'string' ? [entry] : []
  } catch {
    return [] // half a line, of a process that was killed: ignored
  }
}

/** For `/mcp add` with literal values. If it names variables instead, little is lost. */
export function mayHoldSecret(entry: string): boolean {
  return (
    /^\/mcp\s+add-json\b/.test(entry) ||
    (/^\/mcp\s+(?:add|login|auth|reauth)\b/.test(entry) &&
      /\s(?:-[eH]|--(?:header|token|bearer|env|client-secret)\S*)|:\/\/[^/\s]*@|[?&][^\s=]+=/.test(entry))
  )
}

export function appendHistory({ files }: World, file: string, entry: string): void {
  files.append(file, `${JSON.stringify(entry)}\n`, { mode: MODE, maxBytes: MAX_BYTES })
}
