/**
 * fields: the field readers that dialects consist of.
 */
import { findMember, locate, type ConfigNode, type Member } from '../../model/document.ts'
import { literal, type Template } from '../../model/template.ts'
import { maskSecrets } from '../../problem/mask.ts'
import {
  setField,
  templateIn,
  type Draft,
  type DraftFields,
  type Field,
  type FieldName,
  type FieldReader,
} from './draft.ts'
import { mayRefer } from './expand.ts'
import { badValue, invalidConfig, notUsed, wrongType, writtenTwice } from './problems.ts'

type FieldsOf<T> = { [K in FieldName]: NonNullable<DraftFields[K]> extends T ? K : never }[FieldName]

/** A string with references. */
export function template(
  name: FieldsOf<Template> & ('command' | 'envFile' | 'cwd' | 'url' | 'headersHelper' | 'authToken'),
): FieldReader {
  return (draft, field) => {
    const text = requireText(draft, field)
    if (text !== undefined) setField(draft, name, field, templateIn(draft, text, field))
  }
}

/** `command` as a string. A list gets advice on how to split it. */
export const command: FieldReader = (draft, field) => {
  if (field.node.kind === 'array') {
    draft.problems.push(
      wrongType(draft.found, field, 'a string', adviseOnList(draft, field, field.node.items)),
    )
    return
  }
  template('command')(draft, field)
}

/** The advice uses the names and the format of the file. */
function adviseOnList({ found }: Draft, { path }: Field, items: readonly ConfigNode[]): readonly string[] {
  const [first, ...rest] = items.map(({ start, end }) => found.document.text.slice(start, end))
  if (first === undefined) return []
  if (rest.length === 0) return [`keep \`${first}\`, without the brackets`]
  const { file } = found.document
  const key = file.endsWith('.toml') ? 'args = ' : /\.ya?ml$/.test(file) ? 'args: ' : '"args": '
  const args = maskSecrets(`${key}[${rest.join(', ')}]`)
  return [`keep \`${first}\` in \`${path}\` and move the rest to \`${args}\``]
}

/** `command` as a list: the program, then its arguments. */
export const commandList: FieldReader = (draft, field) => {
  if (field.node.kind !== 'array') return command(draft, field)
  const words = readTexts(draft, field)
  if (words === undefined) return
  const [program, ...args] = words.map((word, i) => templateIn(draft, word, itemField(field, i)))
  setField(draft, 'command', field, program ?? [])
  setField(draft, 'args', field, args)
}

/** A list of strings with references; numbers and booleans count as their text. */
export function templates(name: 'args'): FieldReader {
  return (draft, field) => {
    const texts = readTexts(draft, field)
    // Only a possible reference gets its own field object, because there are thousands of plain arguments.
    const made = texts?.map((text, i) =>
      mayRefer(text) ? templateIn(draft, text, itemField(field, i)) : literal(text),
    )
    if (made !== undefined) setField(draft, name, field, made)
  }
}

/** An object of strings with references. Several fields may add to one map. */
export function templateMap(
  name: 'env' | 'headers',
  toValue: (draft: Draft, text: string, field: Field) => Template = templateIn,
): FieldReader {
  return (draft, field) => {
    const map = new Map(draft.fields[name])
    for (const member of readMembers(draft, field)) {
      const inner = innerField(field, member)
      const text = scalarText(member.value)
      if (text !== undefined) map.set(member.key, toValue(draft, text, inner))
      else if (isNull(member.value)) draft.warnings.push(notUsed(draft.found, inner, 'it has no value'))
      else draft.problems.push(wrongType(draft.found, inner, 'a string'))
    }
    setField(draft, name, field, map)
  }
}

type DurationName = 'timeoutMs' | 'maxDurationMs' | 'startupTimeoutMs'

/** A duration in milliseconds; 0 is off. */
export function millis(...names: DurationName[]): FieldReader {
  return duration(names, 1, 'milliseconds')
}

export function seconds(...names: DurationName[]): FieldReader {
  return duration(names, 1000, 'seconds')
}

function duration(names: readonly DurationName[], factor: number, unit: string): FieldReader {
  return (draft, field) => {
    const value = field.node.kind === 'scalar' ? field.node.value : undefined
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      draft.warnings.push(badValue(draft.found, field, `a number of ${unit}, 0 or more`))
      return
    }
    for (const name of names) setField(draft, name, field, Math.round(value * factor))
  }
}

type FlagName = 'required' | 'inheritEnv' | 'supportsParallelCalls' | 'ideRunningInWindows'

export function flag(name: FlagName): FieldReader {
  return (draft, field) => {
    const value = readFlag(draft, field)
    if (value !== undefined) setField(draft, name, field, value)
  }
}

/** `enabled: false` turns the server off; a bad value is a warning and leaves it on. */
export const enabled: FieldReader = (draft, field) => {
  const value = readFlag(draft, field)
  if (value === false) turnOff(draft, field)
}

/** `disabled: true`, the other way to say it. */
export const disabled: FieldReader = (draft, field) => {
  const value = readFlag(draft, field)
  if (value === true) turnOff(draft, field)
}

function turnOff(draft: Draft, field: Field): void {
  const { document } = draft.found
  const by = { file: document.file, ...locate(document.lineStarts, field.node.start) }
  draft.off = { to: 'off', by, reason: `\`${field.path}\` says so` }
}

/** Plain text without references. */
export function words(name: 'type' | 'description' | 'ideName' | 'sdkName' | 'id'): FieldReader {
  return (draft, field) => {
    const text = requireText(draft, field)
    if (text !== undefined) setField(draft, name, field, text)
  }
}

/** `type` in a format that allows a few values only. Any other value makes the entry invalid. */
export function typeAmong(allowed: readonly string[]): FieldReader {
  return (draft, field) => {
    const text = requireText(draft, field)
    if (text === undefined) return
    if (allowed.includes(text)) return setField(draft, 'type', field, text)
    // The file sets a type without a meaning, so the type must not be guessed from the other fields.
    draft.nodes['type'] = field
    const words = allowed.map((word) => `\`${word}\``).join(', ')
    const message = `\`type\` is \`${text}\`, and this format allows only ${words}`
    draft.problems.push(invalidConfig(draft.found, message, field))
  }
}

/** One of a few values. Any other value gives a warning and the default. */
export function oneOf(name: 'protocol' | 'isolation' | 'values', allowed: readonly string[]): FieldReader {
  return (draft, field) => {
    const text = scalarText(field.node)
    if (text !== undefined && allowed.includes(text)) setField(draft, name, field, text)
    else draft.warnings.push(badValue(draft.found, field, allowed.map((word) => `\`${word}\``).join(' or ')))
  }
}

/** A list of tool names or globs. */
export function toolNames(name: 'includeTools' | 'excludeTools'): FieldReader {
  return (draft, field) => {
    const texts = readTexts(draft, field)
    if (texts !== undefined) setField(draft, name, field, texts)
  }
}

/**
 * A field that this agent has and Plugboard does not. Editors write empty lists into every entry: those say nothing.
 */
export function ignored(reason?: string): FieldReader {
  return (draft, field) => {
    if (!isEmpty(field.node)) draft.warnings.push(notUsed(draft.found, field, reason))
  }
}

/** Reads a field only if the entry lacks `key`, which overrules it. */
export function unless(key: string, reader: FieldReader): FieldReader {
  const overruled = ignored(`\`${key}\` comes first`)
  return (draft, field) => {
    const read = findMember(draft.found.node, key) === undefined ? reader : overruled
    read(draft, field)
  }
}

/** A known field without an effect here: state that the agent keeps for itself. */
export const silent: FieldReader = () => undefined

/** An object whose members are fields of the entry. */
export function group(readers: Readonly<Record<string, FieldReader>>): FieldReader {
  return (draft, field) => {
    if (field.node.kind !== 'object') {
      draft.problems.push(wrongType(draft.found, field, 'an object'))
      return
    }
    for (const member of field.node.members) {
      const reader = Object.hasOwn(readers, member.key) ? readers[member.key] : undefined
      const read = reader ?? ignored()
      read(draft, innerField(field, member))
    }
  }
}

export function innerField(field: Field, member: Member): Field {
  return { path: `${field.path}.${member.key}`, node: member.value }
}

export function itemField(list: Field, index: number): Field {
  return { path: list.path, node: list.node.kind === 'array' ? list.node.items[index]! : list.node }
}

/** A scalar as text; undefined for null and for anything that is not a scalar. */
export function scalarText(node: ConfigNode): string | undefined {
  return node.kind === 'scalar' && node.value !== null ? String(node.value) : undefined
}

function isEmpty(node: ConfigNode): boolean {
  if (node.kind === 'scalar') return false
  return (node.kind === 'array' ? node.items : node.members).length === 0
}

function isNull(node: ConfigNode): boolean {
  return node.kind === 'scalar' && node.value === null
}

export function requireText(draft: Draft, field: Field): string | undefined {
  if (field.node.kind === 'scalar' && typeof field.node.value === 'string') return field.node.value
  draft.problems.push(wrongType(draft.found, field, 'a string'))
  return undefined
}

export function readTexts(draft: Draft, field: Field): string[] | undefined {
  if (field.node.kind !== 'array') {
    draft.problems.push(wrongType(draft.found, field, 'a list of strings'))
    return undefined
  }
  const texts = field.node.items.map(scalarText)
  const bad = texts.indexOf(undefined)
  if (bad === -1) return texts as string[]
  const item = { path: `${field.path}[${bad}]`, node: field.node.items[bad]! }
  draft.problems.push(wrongType(draft.found, item, 'a string'))
  return undefined
}

/** The members of an object. If a name occurs twice, the last wins, as in every parser, and the others are reported. */
export function lastOfEach(draft: Draft, members: readonly Member[], owner?: Field): readonly Member[] {
  if (!hasTwins(members)) return members
  const last = new Map(members.map((member) => [member.key, member]))
  return members.filter((member) => {
    const isLast = last.get(member.key) === member
    const field = owner === undefined ? { path: member.key, node: member.value } : innerField(owner, member)
    if (!isLast) draft.warnings.push(writtenTwice(draft.found, field))
    return isLast
  })
}

/** Nearly every object is small and in order, and there are thousands of objects. */
function hasTwins(members: readonly Member[]): boolean {
  if (members.length > 16) return new Set(members.map(({ key }) => key)).size < members.length
  for (let i = 1; i < members.length; i++) {
    for (let j = 0; j < i; j++) if (members[i]!.key === members[j]!.key) return true
  }
  return false
}

function readMembers(draft: Draft, field: Field): readonly Member[] {
  if (field.node.kind === 'object') return lastOfEach(draft, field.node.members, field)
  draft.problems.push(wrongType(draft.found, field, 'an object of strings'))
  return []
}

function readFlag(draft: Draft, field: Field): boolean | undefined {
  if (field.node.kind === 'scalar' && typeof field.node.value === 'boolean') return field.node.value
  draft.warnings.push(badValue(draft.found, field, '`true` or `false`'))
  return undefined
}
