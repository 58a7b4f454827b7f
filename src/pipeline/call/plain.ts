/**
 * plain: the quick way through the check, for schemas as nearly all tools have them: an object whose properties have
 * simple types.
 *
 * in     a schema; then any number of arguments
 * out    whether they fit for certain. "No" means nothing: somebody else has to look
 */
import { isObject } from '../../base/is-object.ts'
import type { Schema } from './checkable.ts'

export type Fits = (args: Schema) => boolean

/** Undefined when the schema says more than can be told quickly. */
export function toPlain(schema: Schema): Fits | undefined {
  const { properties = {}, required = [], additionalProperties = true } = schema
  if (!Object.keys(schema).every((key) => KNOWN.has(key)) || !isObject(properties)) return undefined
  if ((schema['type'] ?? 'object') !== 'object' || typeof additionalProperties !== 'boolean') return undefined
  if (!Array.isArray(required) || !required.every((key) => typeof key === 'string')) return undefined
  const tests = new Map<string, Test>()
  for (const [key, property] of Object.entries(properties)) {
    const test = testOf(property)
    if (test === undefined) return undefined
    tests.set(key, test)
  }
  return (args) => {
    for (const key in args) {
      const test = tests.get(key)
      if (test === undefined ? !additionalProperties || !isSimple(args[key]) : !test(args[key])) return false
    }
    for (const key of required as readonly string[]) if (!Object.hasOwn(args, key)) return false
    return true
  }
}

/** Whether it is JSON without looking further. */
function isSimple(value: unknown): boolean {
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' || value === null
}

/** What says nothing about the value. */
const NOTES = [
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
]

const KNOWN: ReadonlySet<string> = new Set([
  ...NOTES,
  '$schema',
  'type',
  'properties',
  'required',
  'additionalProperties',
])

type Test = (value: unknown) => boolean

const TESTS: Readonly<Record<string, Test>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isInteger,
}

function testOf(property: unknown): Test | undefined {
  if (!isObject(property)) return undefined
  const { type, enum: values } = property
  const saysMore = Object.keys(property).some(
    (key) => key !== 'type' && key !== 'enum' && !NOTES.includes(key),
  )
  if (saysMore || typeof type !== 'string' || !Object.hasOwn(TESTS, type)) return undefined
  const test = TESTS[type]!
  if (values === undefined) return test
  return Array.isArray(values) ? (value) => test(value) && values.includes(value) : undefined
}
