/**
 * name: makes the name of a tool that the model sees.
 *
 * in     the raw names of a server and of one of its tools, the style
 * out    at most 64 of `[A-Za-z0-9_-]`
 * never  depends on other connected servers, so that a name stays the same when servers come and go; gives two tools
 *        one name: where the cleaned names are equal, eight digits of a hash differ
 */
import { sha256 } from '../../base/sha256.ts'
import type { NameStyle } from '../../model/settings.ts'

const MAX_LENGTH = 64

export function nameOf(server: string, tool: string, style: NameStyle): string {
  const clean = CLEAN[style](server, tool)
  const isExact = clean.isExact && clean.name.length <= MAX_LENGTH && !LOOKS_HASHED.test(clean.name)
  if (isExact) return clean.name
  // As JSON, because joined names are ambiguous, and UTF-8 loses half a surrogate pair.
  const suffix = `_${sha256(JSON.stringify([server, tool])).slice(0, 8)}`
  return clean.name.slice(0, MAX_LENGTH - suffix.length) + suffix
}

/** The beginning of every name of this server's tools. Names of other servers' tools may begin with it, too. */
export function startOf(server: string, style: NameStyle): string {
  return CLEAN[style](server, '').name
}

/** So that an exact name never equals a name with a hash. */
const LOOKS_HASHED = /_[0-9a-f]{8}$/i

interface CleanName {
  readonly name: string
  /** The name shows server and tool without doubt. */
  readonly isExact: boolean
}

const CLEAN: Readonly<Record<NameStyle, (server: string, tool: string) => CleanName>> = {
  double: (server, tool) => cleanDouble('mcp__', server, tool),
  bare: (server, tool) => cleanDouble('', server, tool),
  single: cleanSingle,
}

/** Exact when the first `__` after the prefix is the end of the server. */
function cleanDouble(prefix: string, server: string, tool: string): CleanName {
  const name = `${prefix}${replaceUnsafe(server)}__${replaceUnsafe(tool)}`
  const isSafe = SAFE.test(server) && SAFE.test(tool)
  const isAmbiguous = /^_|__|_$/.test(server) || tool.includes('__')
  return { name, isExact: isSafe && !isAmbiguous }
}

const SAFE = /^[A-Za-z0-9_-]*$/

function replaceUnsafe(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/** Exact when the first `_` after `mcp_` is the end of the server, and the tool's name is unchanged. */
function cleanSingle(server: string, tool: string): CleanName {
  const serverPart = toXcsh(server)
  const toolPart = toXcsh(tool)
  const prefix = `${serverPart}_`
  const isStripped = toolPart.startsWith(prefix)
  return {
    name: `mcp_${prefix}${isStripped ? toolPart.slice(prefix.length) : toolPart}`,
    isExact: serverPart === server && toolPart === tool && !isStripped && !server.includes('_'),
  }
}

function toXcsh(part: string): string {
  return part
    .toLowerCase()
    .replace(/[^a-z_]/gu, '_')
    .replace(/_+/g, '_')
}
