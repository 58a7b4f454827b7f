/**
 * edit: changes → the text of a file with the smallest edit that makes it so.
 *
 * in     the text as it is, undefined when there is no file; changes, one after the other
 * out    the text in which comments, order, indentation, line endings, byte order mark and final newline are as they were
 * never  touches a text that does not parse; gives one that says anything but what was asked for
 */
import { ProblemError } from '../problem/problem.ts'
import {
  isListValue,
  isObjectValue,
  isSameValue,
  nest,
  valueAt,
  type Change,
  type Changes,
  type Path,
  type Value,
} from './change.ts'
import { jsonc } from './jsonc.ts'
import {
  cannotSay,
  isThereAlready,
  isWrittenTwice,
  notThere,
  tooLarge,
  toProblem,
  wrongShape,
} from './problems.ts'
import { EditFault, type Language, type Page } from './page.ts'

export type EditFormat = 'jsonc' | 'toml' | 'yaml'

export interface EditTarget {
  /** For messages. */
  readonly file: string
  readonly text: string | undefined
}

/** Throws a Problem: `edit/unparseable`, `edit/wrong-shape`, `edit/twice`, `edit/exists`, `edit/missing`, `edit/cannot-say`, `edit/shared`. */
export type Edit = (target: EditTarget, changes: Changes) => string

/** In one step, for who has time to load the parser; throws as `Edit`. */
export async function edit(format: EditFormat, target: EditTarget, changes: Changes): Promise<string> {
  return (await loadEdit(format))(target, changes)
}

/** The editor of a format. Parsers are loaded when they are needed: a command that edits needs one of three. */
export async function loadEdit(format: EditFormat): Promise<Edit> {
  const language = await loadLanguage(format)
  return ({ file, text }, changes) => {
    const hasMark = text?.startsWith('\ufeff') ?? false
    const before = (hasMark ? text?.slice(1) : text) ?? ''
    try {
      return (hasMark ? '\ufeff' : '') + editText(language, before, changes)
    } catch (error) {
      const fault = error instanceof RangeError ? tooLarge(before) : error
      if (!(fault instanceof EditFault)) throw fault
      throw new ProblemError(toProblem(fault, file), { cause: error })
    }
  }
}

/** By the ending of a file's name; whatever is neither TOML nor YAML is JSON. */
export function editFormatOf(file: string): EditFormat {
  if (/\.toml$/i.test(file)) return 'toml'
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'jsonc'
}

async function loadLanguage(format: EditFormat): Promise<Language> {
  if (format === 'toml') return (await import('./toml.ts')).toml
  if (format === 'yaml') return (await import('./yaml.ts')).yaml
  return jsonc
}

function editText(language: Language, text: string, changes: Changes): string {
  const start = text.trim() === '' ? language.blank + text : text
  const page = language.open(start)
  if (!isObjectValue(page.value)) throw wrongShape(page, [], 'an object')
  const list = typeof changes === 'function' ? changes(page.value) : changes
  const done = list.reduce((before, change) => applyChange(language, before, change), page)
  // Nothing to do: not even what an empty file would begin with.
  if (done === page) return text
  const wanted = list.reduce(applyToValue, page.value)
  if (!language.says(done, wanted, page)) throw cannotSay(page, list)
  return done.text
}

function applyChange(language: Language, page: Page, change: Change): Page {
  if (change.kind === 'set') return setValue(language, page, change)
  const { path } = change
  const found = findParent(page, path)
  if (found === undefined || valueAt(page.value, path) === undefined) {
    if (change.kind === 'remove') return page
    throw notThere(page, path)
  }
  if (change.kind === 'remove') return reopen(language, page, { text: page.remove(path), change })
  const parent = path.slice(0, -1)
  if (typeof path.at(-1) === 'number') throw wrongShape(page, parent, 'an object')
  const to = [...parent, change.to]
  if (change.to === path.at(-1)) return page
  if (valueAt(page.value, to) !== undefined) throw isThereAlready(page, to)
  return reopen(language, page, { text: page.rename(path, change.to), change })
}

/** A text of our making that does not parse is our fault, and not the file's. */
function reopen(
  language: Language,
  page: Page,
  { text, change }: { readonly text: string; readonly change: Change },
): Page {
  try {
    return language.open(text)
  } catch (error) {
    if (!(error instanceof EditFault)) throw error
    throw cannotSay(page, [change])
  }
}

/** Step by step, because every step moves what stands below it. */
function setValue(language: Language, page: Page, change: Extract<Change, { kind: 'set' }>): Page {
  const { path, value } = change
  let at = page
  for (let step = nextStep(at, path, value); step !== undefined; step = nextStep(at, path, value)) {
    // A step without effect would be repeated for ever.
    if (step === at.text) throw cannotSay(page, [change])
    at = reopen(language, at, { text: step, change })
  }
  return at
}

/** The text after one more step, or undefined when it says all that is asked for. */
function nextStep(page: Page, path: Path, value: Value): string | undefined {
  for (let depth = 1; depth < path.length; depth++) {
    const parent = path.slice(0, depth)
    const found = valueAt(page.value, parent)
    if (found === undefined) return addNew(page, parent, nest(path.slice(depth), value))
    if (found === null) return page.put(parent, nest(path.slice(depth), value))
    requireContainer(page, path, depth)
  }
  const found = valueAt(page.value, path)
  return found === undefined ? addNew(page, path, value) : stepTowards(page, path, value)
}

function addNew(page: Page, path: Path, value: Value): string {
  const key = path.at(-1)
  const parent = valueAt(page.value, path.slice(0, -1))
  if (isListValue(parent) && key !== parent.length) throw notThere(page, path)
  return page.add(path, value)
}

function stepTowards(page: Page, path: Path, value: Value): string | undefined {
  const found = valueAt(page.value, path)
  if (isSameValue(found, value)) return undefined
  if (isObjectValue(found) && isObjectValue(value)) {
    const unwanted = Object.keys(found).find((key) => !Object.hasOwn(value, key))
    if (unwanted !== undefined) return page.remove([...path, unwanted])
    const key = Object.keys(value).find(
      (one) => !Object.hasOwn(found, one) || !isSameValue(found[one], value[one]),
    )!
    const at = [...path, key]
    return Object.hasOwn(found, key) ? stepTowards(page, at, value[key]!) : page.add(at, value[key]!)
  }
  if (isListValue(found) && isListValue(value)) return stepInList(page, path, value)
  return page.put(path, value)
}

function stepInList(page: Page, path: Path, value: readonly Value[]): string | undefined {
  const found = valueAt(page.value, path) as readonly Value[]
  const first = found.findIndex((item, i) => !isSameValue(item, value[i]))
  if (first === -1) return page.add([...path, found.length], value[found.length]!)
  const isLonger = found.length > value.length
  return isLonger ? page.remove([...path, first]) : stepTowards(page, [...path, first], value[first]!)
}

/** Undefined when there is none. */
function findParent(page: Page, path: Path): Value | undefined {
  for (let depth = 1; depth < path.length; depth++) {
    const found = valueAt(page.value, path.slice(0, depth))
    if (found === undefined || found === null) return undefined
    requireContainer(page, path, depth)
  }
  return valueAt(page.value, path.slice(0, -1))
}

/** What stands at this depth of a path must be able to hold the next key, and must be the only one of its name. */
function requireContainer(page: Page, path: Path, depth: number): void {
  const parent = path.slice(0, depth)
  const found = valueAt(page.value, parent)
  const isList = typeof path[depth] === 'number'
  if (isList ? !isListValue(found) : !isObjectValue(found))
    throw wrongShape(page, parent, isList ? 'a list' : 'an object')
  if (page.countOf(parent) > 1) throw isWrittenTwice(page, parent)
}

/** The same change on the value, to compare with. */
function applyToValue(value: Value, { path, ...change }: Change): Value {
  const [key, ...rest] = path
  if (key === undefined) return change.kind === 'set' ? change.value : value
  if (rest.length > 0) {
    const inner = valueAt(value, [key])
    const isMissing = inner === undefined || inner === null
    if (isMissing && change.kind !== 'set') return value
    const empty = typeof rest[0] === 'number' ? [] : {}
    return withKey(value, key, applyToValue(isMissing ? empty : inner, { ...change, path: rest } as Change))
  }
  if (change.kind === 'set') return withKey(value, key, change.value)
  if (change.kind === 'rename')
    return Object.fromEntries(
      Object.entries(value as object).map(([one, at]) => [one === key ? change.to : one, at as Value]),
    )
  if (isListValue(value)) return value.filter((_, i) => i !== key)
  return Object.fromEntries(Object.entries(value as object).filter(([one]) => one !== key))
}

function withKey(value: Value, key: string | number, inner: Value): Value {
  if (isListValue(value)) return Object.assign([...value], { [key]: inner })
  // Not a computed key: `__proto__` is a key like any other.
  const own = { value: inner, enumerable: true, writable: true, configurable: true }
  return Object.defineProperty({ ...(value as object) }, key, own) as Value
}
