/**
 * Random schemas and hostile ones through every profile: nothing is thrown, polluted, changed or out of bounds, and what comes out is
 * valid by the rules of the provider.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PROFILES, type JsonSchema, type Profile } from '../../../src/model/profile.ts'
import { toProviderSchema } from '../../../src/pipeline/name/schema.ts'
import { findBroken } from './provider-rules.ts'
import { anySchema, HOSTILE } from './schemas.ts'

const BUILT_IN = Reflect.ownKeys(Object.prototype).length

/** Whoever changes it is thrown at. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) freeze((value as Record<string | symbol, unknown>)[key])
  }
  return value
}

/** Whether every object in it is a plain one. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  const isUsual = prototype === (Array.isArray(value) ? Array.prototype : Object.prototype)
  return isUsual && Object.values(value).every(isPlain)
}

/** More than any schema of the corpus becomes, by far. */
const MOST_LETTERS = 10_000_000

function check(profile: Profile, schema: JsonSchema): 'schema' | 'quarantined' {
  const before = JSON.stringify(schema)
  const made = toProviderSchema(freeze(schema), profile)
  expect(JSON.stringify(schema)).toBe(before)
  expect(Reflect.ownKeys(Object.prototype).length).toBe(BUILT_IN)
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  if (made.kind === 'quarantined') {
    expect(made.reason).toMatch(/^[`a-z].{10,300}$/s)
    return made.kind
  }
  const after = JSON.stringify(made.schema)
  expect(after.length).toBeLessThan(
    profile === 'none' ? before.length + 100 : Math.max(MOST_LETTERS, before.length),
  )
  expect(isPlain(made.schema)).toBe(true)
  expect(findBroken(profile, made.schema)).toEqual([])
  // What was mended needs no mending. (What Gemini takes is not JSON Schema any more.)
  if (profile !== 'gemini') expect(toProviderSchema(made.schema, profile)).toEqual(made)
  return made.kind
}

describe.each(PROFILES)('%s', (profile) => {
  test('10,000 random schemas', { timeout: 300_000 }, () => {
    const count = { schema: 0, quarantined: 0 }
    fc.assert(
      fc.property(anySchema, (schema) => {
        count[check(profile, schema)]++
      }),
      { numRuns: 10_000 },
    )
    // Or the test would be about nothing.
    expect(Math.min(count.schema, profile === 'none' ? Infinity : count.quarantined)).toBeGreaterThan(500)
  })

  test.each(Object.keys(HOSTILE))('%s', (kind) => {
    const started = performance.now()
    check(profile, HOSTILE[kind]!)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})
