/** toml-text: values and tables in TOML syntax. */
import { isListValue, isObjectValue, type ObjectValue, type Path, type Value } from './change.ts'

/** The value of a pair, in one line. Only long lists are broken, since TOML allows that nowhere else. */
export function writeToml(value: Value, eol: string): string {
  const line = inlineToml(value)
  if (!isListValue(value) || value.length === 0 || line.length < WIDTH) return line
  return `[${eol}${value.map((item) => `  ${inlineToml(item)},${eol}`).join('')}]`
}

const WIDTH = 100

export function inlineToml(value: Value): string {
  if (isListValue(value)) return `[${value.map(inlineToml).join(', ')}]`
  if (isObjectValue(value)) {
    const pairs = Object.entries(value).map(([key, one]) => `${tomlKey(key)} = ${inlineToml(one)}`)
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
  }
  if (typeof value === 'string') return tomlString(value)
  return typeof value === 'number' ? tomlNumber(value) : String(value)
}

/** A table with all its content: pairs first, then tables and lists of tables below it. */
export function writeSection(path: Path, value: ObjectValue, eol: string): string {
  return writeTable(`[${tomlHeader(path)}]`, path, { value, eol })
}

export function writeListSection(path: Path, value: ObjectValue, eol: string): string {
  return writeTable(`[[${tomlHeader(path)}]]`, path, { value, eol })
}

function writeTable(
  header: string,
  path: Path,
  { value, eol }: { readonly value: ObjectValue; readonly eol: string },
): string {
  const members = Object.entries(value)
  const pairs = members.filter(([, one]) => !isSection(one))
  const lines = pairs.map(([key, one]) => `${tomlKey(key)} = ${writeToml(one, eol)}${eol}`)
  const below = members.filter(([, one]) => isSection(one))
  // The tables below imply this one; a header without pairs would only be noise.
  const isImplied = lines.length === 0 && below.length > 0 && !header.startsWith('[[')
  const own = isImplied ? [] : [header + eol + lines.join('')]
  return [...own, ...below.flatMap(([key, one]) => writeBelow([...path, key], one, eol))].join(eol)
}

function writeBelow(path: Path, value: Value, eol: string): readonly string[] {
  if (isListValue(value)) return value.map((item) => writeListSection(path, item as ObjectValue, eol))
  return [writeSection(path, value as ObjectValue, eol)]
}

/** Whether the value is written as one or more tables. */
export function isSection(value: Value): boolean {
  return isObjectValue(value) || (isListValue(value) && value.length > 0 && value.every(isObjectValue))
}

export function tomlHeader(path: Path): string {
  return path
    .filter((key) => typeof key === 'string')
    .map(tomlKey)
    .join('.')
}

export function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : basicString(key)
}

function tomlString(text: string): string {
  // A Windows path, or a text with quotes, is easier to read unescaped.
  const isLiteral = /[\\"]/.test(text) && !/['\p{Cc}]/u.test(text)
  return isLiteral ? `'${text}'` : basicString(text)
}

/** JSON's escapes are valid in TOML, which escapes one more character. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`)
}

function tomlNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  // Whole numbers have 64 bits in TOML; a larger one must be a float.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)
}
