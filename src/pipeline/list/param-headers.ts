/**
 * param-headers: arguments that the client also sends as headers (2026-07-28, Streamable HTTP, `x-mcp-header`).
 *
 * in     a tool's schema; for a call, its arguments
 * out    the fault of the declarations in the schema, or the `Mcp-Param-*` headers of the call
 */
import { toHeaderValue } from '../../model/header-value.ts'
import type { ListedTool } from '../../model/offering.ts'

type Fields = Readonly<Record<string, unknown>>

/** Empty for a tool whose declarations are wrong: over HTTP it is quarantined, and other transports have no headers. */
export function toParamHeaders(tool: ListedTool, args: Fields): Record<string, string> {
  const found = scanHeaders(tool.inputSchema)
  if (found.kind === 'fault') return {}
  const headers: Record<string, string> = {}
  for (const { name, path } of found.declarations) {
    const text = toText(findValue(args, path))
    if (text !== undefined) headers[`Mcp-Param-${name}`] = toHeaderValue(text)
  }
  return headers
}

/** The first fault, in a user's words. */
export function findHeaderFault(inputSchema: Fields): string | undefined {
  const found = scanHeaders(inputSchema)
  return found.kind === 'fault' ? found.reason : undefined
}

interface Declaration {
  readonly name: string
  /** The keys from the arguments down to the value. */
  readonly path: readonly string[]
}

type Scan =
  | { readonly kind: 'declarations'; readonly declarations: readonly Declaration[] }
  | { readonly kind: 'fault'; readonly reason: string }

const KEY = 'x-mcp-header'

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']

/** The schemas under these keywords need not hold for every call, so a header declared there may have no value. */
const UNCERTAIN = [
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'patternProperties',
  'dependentSchemas',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  '$defs',
  'definitions',
]

/** Keywords whose schemas have names. */
const NAMED = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions'])

interface ParameterLocation {
  readonly schema: Fields
  readonly path: readonly string[]
  /** Reached through `properties` alone. */
  readonly isCertain: boolean
}

const scans = new WeakMap<Fields, Scan>()

/** Cached by schema, because every call needs it. */
function scanHeaders(inputSchema: Fields): Scan {
  const known = scans.get(inputSchema) ?? scan(inputSchema)
  scans.set(inputSchema, known)
  return known
}

function scan(inputSchema: Fields): Scan {
  // Ten times faster than a full search, and hardly any tool declares a header.
  if (!JSON.stringify(inputSchema).includes(KEY)) return { kind: 'declarations', declarations: [] }
  const declarations: Declaration[] = []
  const names = new Set<string>()
  const waiting: ParameterLocation[] = [{ schema: inputSchema, path: [], isCertain: true }]
  // The list grows while it is read, in place of recursion.
  for (const place of waiting) {
    if (Object.hasOwn(place.schema, KEY)) {
      const name = place.schema[KEY]
      const reason = findFault(place, names)
      if (reason !== undefined) return { kind: 'fault', reason }
      names.add(String(name).toLowerCase())
      declarations.push({ name: String(name), path: place.path })
    }
    for (const below of placesBelow(place)) waiting.push(below)
  }
  return { kind: 'declarations', declarations }
}

function findFault(
  { schema, path, isCertain }: ParameterLocation,
  names: ReadonlySet<string>,
): string | undefined {
  const name = schema[KEY]
  const where = path.length === 0 ? 'the schema itself' : `\`${path.join('.')}\``
  const say = (what: string): string => `its schema declares a header for ${where}, ${what}`
  if (!isCertain || path.length === 0) return say('which is no plain property of its arguments')
  if (typeof name !== 'string' || !TOKEN.test(name)) return say(`but \`${KEY}\` is not the name of a header`)
  if (!TYPES.includes(schema['type'])) return say('which is not a string, an integer or a boolean')
  return names.has(name.toLowerCase()) ? say(`but \`${name}\` is declared twice`) : undefined
}

function placesBelow({ schema, path, isCertain }: ParameterLocation): ParameterLocation[] {
  const below: ParameterLocation[] = []
  const add = (value: unknown, key: string, isCertain: boolean): void => {
    if (isFields(value)) below.push({ schema: value, path: [...path, key], isCertain })
  }
  const properties = schema['properties']
  if (isFields(properties)) {
    for (const [key, value] of Object.entries(properties)) add(value, key, isCertain)
  }
  for (const keyword of UNCERTAIN) {
    const value = schema[keyword]
    const branches = NAMED.has(keyword) && isFields(value) ? Object.values(value) : [value].flat()
    for (const branch of branches) add(branch, keyword, false)
  }
  return below
}

function findValue(args: Fields, path: readonly string[]): unknown {
  let value: unknown = args
  for (const key of path) {
    if (!isFields(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** Undefined for a value that no header can express exactly. The header is then left out. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
