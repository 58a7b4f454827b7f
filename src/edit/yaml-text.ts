/** yaml-text: values in YAML syntax, as blocks or in one line. */
import { isListValue, isObjectValue, type Value } from './change.ts'

/** In one line, as JSON, which YAML accepts everywhere. */
export function flowYaml(value: Value): string {
  if (isListValue(value)) return `[${value.map(flowYaml).join(', ')}]`
  if (isObjectValue(value)) {
    const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${flowYaml(one)}`)
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
  }
  return typeof value === 'string' ? JSON.stringify(value) : scalarYaml(value)
}

/** A block without its last line break. The caller places the first line; the others are indented by `column`. */
export function blockYaml(value: Value, { column, unit, eol }: BlockStyle): string {
  const style = { column, unit, eol }
  const lines = isListValue(value)
    ? value.map((item) => `- ${blockYaml(item, { ...style, column: column + 2 })}`)
    : isObjectValue(value)
      ? Object.entries(value).map(([key, one]) => yamlKey(key) + afterKey(one, style))
      : []
  return lines.length === 0 ? scalarYaml(value) : lines.join(eol + ' '.repeat(column))
}

export interface BlockStyle {
  /** The indentation of the lines in this block. */
  readonly column: number
  readonly unit: number
  readonly eol: string
}

/** The text from the colon on. */
export function afterKey(value: Value, style: BlockStyle): string {
  if (!isBlock(value)) return `: ${scalarYaml(value)}`
  const column = style.column + style.unit
  return `:${style.eol}${' '.repeat(column)}${blockYaml(value, { ...style, column })}`
}

/** Whether the value needs lines of its own. */
export function isBlock(value: Value): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** A value that needs no block. */
export function scalarYaml(value: Value): string {
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value)
  if (typeof value === 'number') return yamlNumber(value)
  return isListValue(value) ? '[]' : isObjectValue(value) ? '{}' : String(value)
}

export function yamlKey(key: string): string {
  return isPlain(key) && !key.includes(':') ? key : JSON.stringify(key)
}

/** Strict: some readers still treat `no` as false, and `1e3` as a number. */
function isPlain(text: string): boolean {
  const isSimple = /^[A-Za-z_/](?:[\w./@+-]|:(?=[\w/])| (?=[\w/]))*$/.test(text)
  return isSimple && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
}

function yamlNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf'
  return String(value)
}
