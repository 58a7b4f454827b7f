/**
 * edit, in every format: what comes out says what was asked for, to a parser that is not the editor's, and all else
 * stays as it was written.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Change, Path, Value } from '../../src/edit/change.ts'
import { loadEdit, type EditFormat } from '../../src/edit/edit.ts'
import type { ConfigNode } from '../../src/model/document.ts'
import type { Problem } from '../../src/model/problem.ts'
import { parseCarefully } from '../../src/pipeline/discover/formats/parse-text.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import { TEXTS } from './texts.ts'

const FORMATS = ['jsonc', 'toml', 'yaml'] as const

const KEYS = [
  'a',
  'b',
  'c',
  'mcpServers',
  'new',
  'a.b',
  '__proto__',
  'q"u\\o\'te',
  'ключ',
  '',
  ' ',
  '- x',
  '#',
  'no',
  '1',
]

const scalar = fc.constantFrom<Value>(
  0,
  1,
  -2.5,
  1e21,
  true,
  false,
  '',
  'x',
  'no',
  '1',
  ' a',
  'a: b # c',
  '- d',
  'C:\\x "y"',
  "it's",
  'two\nlines',
  'ключ',
  '\u007f',
  '${VAR}',
  'https://a.test/b?c=d',
)

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('value')), {
        maxLength: 3,
        selector: ([key]) => key,
      })
      .map((members) => Object.fromEntries(members) as Value),
  ),
}))

/** Where in the text, and what: numbers choose among what is there. */
const step = fc.record({
  kind: fc.constantFrom('set', 'set', 'add', 'remove', 'rename'),
  at: fc.nat(),
  key: fc.constantFrom(...KEYS),
  deeper: fc.array(fc.constantFrom(...KEYS), { maxLength: 2 }),
  value: anyValue,
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function toChange({ kind, at, key, deeper, value }: Step, now: Value): Change {
  const paths = pathsIn(now)
  const path = paths[at % paths.length]!
  if (kind === 'add' || path.length === 0) return { kind: 'set', path: [...path, key, ...deeper], value }
  if (kind === 'remove') return { kind, path }
  if (kind === 'rename') return { kind, path, to: key }
  return { kind: 'set', path, value }
}

describe.each(FORMATS)('%s', (format) => {
  test('says what was asked for after any changes, or refuses for a reason that is there', async () => {
    const edit = await loadEdit(format)
    const refusals = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TEXTS[format]),
        fc.array(step, { minLength: 1, maxLength: 4 }),
        async (start, steps) => {
          let text = start
          for (const one of steps) {
            const before = await parse(format, text)
            const change = toChange(one, before)
            const wanted = apply(before, change)
            try {
              text = edit({ file: 'f', text }, [change])
            } catch (error) {
              if (!(error instanceof ProblemError)) throw error
              const { code } = error.problem
              refusals.set(code, (refusals.get(code) ?? 0) + 1)
              expect(
                wanted === 'impossible' || isRefusable(format, error.problem, text),
                `${code} ${error.message}\n${text}\n${JSON.stringify(change)}`,
              ).toBe(true)
              continue
            }
            const after = await parse(format, text)
            expect(comparable(format, after), `${text}\n${JSON.stringify(change)}`).toEqual(
              comparable(format, wanted as Value),
            )
          }
        },
      ),
      { numRuns: 600 },
    )
    expect([...refusals.keys()].filter((code) => code === 'edit/unparseable')).toEqual([])
  })

  test('leaves every other line alone when something is added, and gives the text back when that is removed', async () => {
    const edit = await loadEdit(format)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TEXTS[format]), step, async (text, one) => {
        const now = await parse(format, text)
        const objects = pathsIn(now).filter((path) => isObject(at(now, path)))
        const parent = objects[one.at % objects.length]!
        const path = [...parent, 'brand new']
        const added = tryEdit(() => edit({ file: 'f', text }, [{ kind: 'set', path, value: one.value }]))
        if (added === undefined) return
        expect(changedLines(text, added), added).toBeLessThanOrEqual(2)
        const removed = edit({ file: 'f', text: added }, [{ kind: 'remove', path }])
        const hasOthers = Object.keys(at(now, parent) as object).length > 0
        if (hasOthers) expect(withoutNewHeader(format, removed, text), added).toBe(text)
        else expect(comparable(format, await parse(format, removed))).toEqual(comparable(format, now))
      }),
      { numRuns: 400 },
    )
  })

  test('keeps the byte order mark, the line ends and the comments', async () => {
    const edit = await loadEdit(format)
    for (const text of TEXTS[format]) {
      const change: Change = { kind: 'set', path: ['brand', 'new'], value: { a: ['b'], c: { d: 'e' } } }
      const marked = edit({ file: 'f', text: `\ufeff${text}` }, [change])
      const plain = edit({ file: 'f', text }, [change])
      expect(marked).toBe(`\ufeff${plain}`)
      if (text.includes('\r\n')) expect(plain.replaceAll('\r\n', ''), plain).not.toContain('\n')
      for (const comment of commentsIn(format, text)) expect(plain).toContain(comment)
      for (const key of Object.keys((await parse(format, plain)) as object)) {
        const less = tryEdit(() => edit({ file: 'f', text: plain }, [{ kind: 'remove', path: [key] }]))
        if (less !== undefined) expect(Object.keys((await parse(format, less)) as object)).not.toContain(key)
      }
    }
  })

  test('changes nothing when there is nothing to change', async () => {
    const edit = await loadEdit(format)
    for (const text of TEXTS[format]) {
      const now = await parse(format, text)
      for (const path of pathsIn(now)) {
        const value = at(now, path)
        if (path.length === 0 || hasNull(value)) continue
        expect(tryEdit(() => edit({ file: 'f', text }, [{ kind: 'set', path, value }])) ?? text).toBe(text)
      }
      expect(edit({ file: 'f', text }, [{ kind: 'remove', path: ['nobody', 'home'] }])).toBe(text)
      expect(edit({ file: 'f', text }, [])).toBe(text)
    }
  })
})

function tryEdit(make: () => string): string | undefined {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code === 'edit/cannot-say') throw error
    return undefined
  }
}

/** What a format can have against a change that makes sense. */
function isRefusable(format: EditFormat, { code, message }: Problem, text: string): boolean {
  if (format === 'yaml')
    return code === 'edit/shared' || (code === 'edit/cannot-say' && text.includes('!!str'))
  return format === 'toml' && code === 'edit/cannot-say' && message.includes('can only be a table')
}

async function parse(format: EditFormat, text: string): Promise<Value> {
  const parsed = await parseCarefully(text, format === 'jsonc' ? 'json' : format)
  if (parsed.kind === 'fault') throw new Error(`${parsed.message}\n${text}`)
  const value = toValue(parsed.root)
  return value === null ? {} : value
}

function toValue(node: ConfigNode): Value {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(toValue)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, toValue(value)]))
}

function pathsIn(value: Value, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value)
  return [path, ...keys.flatMap((key) => pathsIn(at(value, [key]), [...path, key]))]
}

function at(value: Value, path: Path): Value {
  return path.reduce<Value>((one, key) => (one as Record<string | number, Value>)[key]!, value)
}

function isObject(value: Value | undefined): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The oracle: on Maps, so that it shares nothing with what it judges. */
function apply(value: Value, change: Change): Value | 'impossible' {
  const root = toMap(value)
  let holder = root
  for (const [i, key] of change.path.slice(0, -1).entries()) {
    if (!(holder instanceof Map) || (holder.isList === true) !== (typeof key === 'number'))
      return 'impossible'
    let next = holder.get(key)
    if (next === undefined || next === null) {
      if (change.kind !== 'set') return change.kind === 'remove' ? value : 'impossible'
      next = new Map()
      ;(next as { isList?: boolean }).isList = typeof change.path[i + 1] === 'number'
      holder.set(key, next)
    }
    holder = next as Box
  }
  const key = change.path.at(-1)!
  if (!(holder instanceof Map) || (holder.isList === true) !== (typeof key === 'number')) return 'impossible'
  if (change.kind === 'set') holder.set(key, toMap(change.value))
  else if (change.kind === 'remove') holder.delete(key)
  else if (holder.isList === true || !holder.has(key)) return 'impossible'
  else if (change.to !== key) {
    if (holder.has(change.to)) return 'impossible'
    holder.set(change.to, holder.get(key)!)
    holder.delete(key)
  }
  return fromMap(root)
}

type Box = Value | (Map<string | number, Box> & { isList?: boolean })

function toMap(value: Value): Box {
  if (typeof value !== 'object' || value === null) return value
  const map: Box = new Map<string | number, Box>()
  if (Array.isArray(value)) {
    map.isList = true
    for (const [i, item] of value.entries()) map.set(i, toMap(item as Value))
  } else for (const [key, one] of Object.entries(value)) map.set(key, toMap(one))
  return map
}

function fromMap(box: Box): Value {
  if (!(box instanceof Map)) return box
  if (box.isList === true) return [...box.values()].map(fromMap)
  return Object.fromEntries([...box].map(([key, one]) => [key, fromMap(one)]))
}

/** TOML cannot always say that a table or list is there and has nothing in it. */
function comparable(format: EditFormat, value: Value): Value {
  if (format !== 'toml' || typeof value !== 'object' || value === null) return value === 0 ? 0 : value
  if (Array.isArray(value)) return value.map((item) => comparable(format, item as Value))
  const members = Object.entries(value).map(([key, one]) => [key, comparable(format, one)] as const)
  return Object.fromEntries(
    members.filter(([, one]) => typeof one !== 'object' || one === null || Object.keys(one).length > 0),
  )
}

function hasNull(value: Value): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull))
}

/** How many lines of the one text are not, in their order, in the other. */
function changedLines(before: string, after: string): number {
  const left = after.split('\n')
  let from = 0
  return before.split('\n').filter((line) => {
    const found = left.indexOf(line, from)
    if (found !== -1) from = found + 1
    return found === -1
  }).length
}

/** A table of TOML that was only implied has a header of its own from then on. */
function withoutNewHeader(format: EditFormat, text: string, before: string): string {
  if (format !== 'toml') return text
  const known = new Set(before.split('\n'))
  const lines = text.split('\n')
  const header = lines.findIndex((line) => line.startsWith('[') && !known.has(line))
  return header === -1 ? text : lines.toSpliced(header - 1, 2).join('\n')
}

function commentsIn(format: EditFormat, text: string): readonly string[] {
  return text.match(format === 'jsonc' ? /\/\/ [a-z ]+|\/\* [^*]+\*\//g : /# [a-z ]+/g) ?? []
}
