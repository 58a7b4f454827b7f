/**
 * permission-rules: a rule about calls put into, or taken out of, the text of a `settings.json`.
 *
 * in     the text as it is, undefined when there is no file
 * out    the text with the smallest change; comments, order and formatting stay
 * never  touches a text that does not parse, or whose rules are not what they should be: gives the reason
 */
import { findNodeAtLocation, parseTree, type JSONPath, type Node, type ParseError } from 'jsonc-parser'
import type { Action } from '../model/permission.ts'

export interface WrittenRule {
  readonly tool: string
  readonly action: Action
  readonly reason?: string
}

export type Edited<T> =
  | { readonly kind: 'edited'; readonly text: string; readonly done: T }
  | { readonly kind: 'refused'; readonly why: string }

/** A rule for the same glob is changed in its place; a reason that it has stays, unless there is a new one. */
export function putRule(
  text: string | undefined,
  rule: WrittenRule,
): Edited<'added' | 'changed' | 'there already'> {
  const before = text === undefined || text.trim() === '' ? '{}\n' : text
  const found = findRules(before)
  if (found.kind === 'refused') return found
  const isThere = found.rules.some(({ tool }) => tool?.value === rule.tool)
  if (!isThere) return { kind: 'edited', text: addRule(before, found, rule), done: 'added' }
  const withAction = setMember(before, rule, 'action')
  const changed = rule.reason === undefined ? withAction : setMember(withAction, rule, 'reason')
  return { kind: 'edited', text: changed, done: changed === before ? 'there already' : 'changed' }
}

/** `done` is how many were removed. */
export function removeRules(text: string, isUnwanted: (tool: string) => boolean): Edited<number> {
  const found = findRules(text)
  if (found.kind === 'refused') return found
  const unwanted = found.rules.filter(({ tool }) => isText(tool?.value) && isUnwanted(tool.value))
  const left = unwanted.reduceRight((before, { node }) => removeItem(before, node), text)
  return { kind: 'edited', text: left, done: unwanted.length }
}

const RULES: JSONPath = ['permissions', 'rules']

interface FoundRules {
  readonly kind: 'found'
  readonly root: Node
  readonly permissions: Node | undefined
  readonly list: Node | undefined
  readonly rules: readonly FoundRule[]
}

/** The values of its keys, where it has them. */
interface FoundRule {
  readonly node: Node
  readonly tool: Node | undefined
  readonly action: Node | undefined
  readonly reason: Node | undefined
}

function findRules(text: string): FoundRules | Extract<Edited<never>, { kind: 'refused' }> {
  const refuse = (why: string): Extract<Edited<never>, { kind: 'refused' }> => ({ kind: 'refused', why })
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (root === undefined || errors.length > 0) return refuse('it does not parse')
  if (root.type !== 'object') return refuse('it is not an object')
  const permissions = findNodeAtLocation(root, ['permissions'])
  if (permissions !== undefined && permissions.type !== 'object')
    return refuse('`permissions` is not an object')
  if (countKeys(root, 'permissions') > 1 || countKeys(permissions, 'rules') > 1)
    return refuse('it says `permissions` or `rules` twice')
  const list = findNodeAtLocation(root, RULES)
  if (list !== undefined && list.type !== 'array') return refuse('`rules` is not a list')
  return { kind: 'found', root, permissions, list, rules: (list?.children ?? []).map(toRule) }
}

function countKeys(node: Node | undefined, key: string): number {
  return (node?.children ?? []).filter(({ children }) => children?.[0]?.value === key).length
}

function toRule(node: Node): FoundRule {
  const at = (key: string): Node | undefined => findNodeAtLocation(node, [key])
  return { node, tool: at('tool'), action: at('action'), reason: at('reason') }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function addRule(text: string, { root, permissions, list }: FoundRules, rule: WrittenRule): string {
  const pairs = Object.entries(rule).map(([key, value]) => `${quote(key)}: ${quote(value)}`)
  const written = `{ ${pairs.join(', ')} }`
  const { unit, eol } = formatOf(text)
  const open = (
    indent: string,
    key: string,
    [start, end]: string,
    inner: (indent: string) => string,
  ): string => `${quote(key)}: ${start}${eol}${indent}${unit}${inner(indent + unit)}${eol}${indent}${end}`
  const rules = (indent: string): string => open(indent, 'rules', '[]', () => written)
  if (list !== undefined) return addItem(text, list, () => written)
  if (permissions !== undefined) return addItem(text, permissions, rules)
  return addItem(text, root, (indent) => open(indent, 'permissions', '{}', rules))
}

/** Of the rule with the same glob, in a text that is known to have one. */
function setMember(text: string, rule: WrittenRule, key: 'action' | 'reason'): string {
  const found = findRules(text)
  const known = found.kind === 'found' ? found.rules.find(({ tool }) => tool?.value === rule.tool) : undefined
  if (known === undefined) return text
  const value = known[key]
  if (value === undefined) return addItem(text, known.node, () => `${quote(key)}: ${quote(rule[key])}`)
  if (value.value === rule[key]) return text
  return splice(text, value.offset, value.offset + value.length, quote(rule[key]))
}

/**
 * At the end of a list or object. By hand, as all of this: the library's own edits format the neighbours anew, and take
 * the comment behind the last of them for that of the new one.
 */
function addItem(text: string, container: Node, write: (indent: string) => string): string {
  const close = container.offset + container.length - 1
  const last = container.children?.at(-1)
  const { unit, eol } = formatOf(text)
  if (last === undefined) {
    const indent = indentAt(text, container.offset)
    const inside = text.slice(container.offset + 1, close).trimEnd()
    return splice(
      text,
      container.offset + 1,
      close,
      `${inside}${eol}${indent}${unit}${write(indent + unit)}${eol}${indent}`,
    )
  }
  const end = last.offset + last.length
  const behind = text.slice(end, close)
  const isOneLine = !text.slice(container.offset, close).includes('\n')
  const indent = indentAt(text, last.offset)
  const hasComma = commaAfter(text, end) !== undefined
  const at = end + behind.trimEnd().length
  const item = `${isOneLine ? ' ' : `${eol}${indent}`}${write(indent)}${hasComma ? ',' : ''}`
  const added = splice(text, at, at, item)
  return hasComma ? added : splice(added, end, end, ',')
}

/** With its comma, and its line when nothing else stands in it. */
function removeItem(text: string, { offset, length, parent }: Node): string {
  const end = offset + length
  const comma = commaAfter(text, end)
  if (comma !== undefined) return removeLine(text, offset, comma + 1)
  const before = parent?.children?.findLast((one) => one.offset < offset)
  const commaBefore = before === undefined ? undefined : commaAfter(text, before.offset + before.length)
  const left = removeLine(text, offset, end)
  return commaBefore === undefined ? left : splice(left, commaBefore, commaBefore + 1, '')
}

function removeLine(text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const next = text.indexOf('\n', to)
  const isAlone = next !== -1 && text.slice(start, from).trim() === '' && text.slice(to, next).trim() === ''
  if (isAlone && start > 0) return splice(text, start, next + 1, '')
  return splice(text, from, to + /^ */.exec(text.slice(to))![0].length, '')
}

/** Where the comma behind a value is; not one in a comment. */
function commaAfter(text: string, end: number): number | undefined {
  const between = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
  between.lastIndex = end
  between.exec(text)
  return text[between.lastIndex] === ',' ? between.lastIndex : undefined
}

function quote(value: unknown): string {
  return JSON.stringify(value)
}

function splice(text: string, from: number, to: number, added: string): string {
  return text.slice(0, from) + added + text.slice(to)
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0]
}

/** As the file is written already; two blanks where it does not show. */
function formatOf(text: string): { readonly unit: string; readonly eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  return { unit: indent.startsWith('\t') ? '\t' : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' }
}
