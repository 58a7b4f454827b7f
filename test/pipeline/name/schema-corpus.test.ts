/**
 * The schemas of 48 real servers, for every profile: valid by rules that were written without a look at the profiles.
 */
import { describe, expect, test } from 'vitest'
import { PROFILES, type JsonSchema, type Profile } from '../../../src/model/profile.ts'
import { isEqual } from '../../../src/pipeline/name/json-schema.ts'
import { toProviderSchema } from '../../../src/pipeline/name/schema.ts'
import { readCorpus } from './corpus.ts'
import { findBroken, RULES } from './provider-rules.ts'

const TOOLS = readCorpus().flatMap(({ server, tools }) =>
  tools.map(({ name, inputSchema }) => ({ name: `${server} ${name}`, inputSchema })),
)

/** How many are in quarantine, and why; in the reasons, `…` stands for a name. */
const QUARANTINED: Readonly<Record<Profile, Readonly<Record<string, number>>>> = {
  // Twilio's `StartTime<` and its like.
  anthropic: {
    'anthropic does not take its argument `…`: a name has 1 to 64 letters, digits, `…`, `…` or `…`': 9,
  },
  openai: {},
  // They can be sent without `strict`: the profile `openai` takes them all.
  'openai-strict': {
    '`…` takes properties of any name, which strict mode has no way to say': 122,
    '`…` takes any value, which strict mode has no way to say': 4,
  },
  gemini: {},
  // A property that is called `required`.
  moonshot: { 'moonshot does not take the name of `…`': 1 },
  none: {},
}

/** How many come out as the very object that came in. */
const UNTOUCHED: Readonly<Record<Profile, number>> = {
  // All but the 24 of Notion, which are told without what they do not use.
  anthropic: 1443 - 24,
  openai: 1447 - 24,
  'openai-strict': 1,
  gemini: 644,
  moonshot: 730,
  none: 1464,
}

describe.each(PROFILES)('%s', (profile) => {
  const results = TOOLS.map(({ name, inputSchema }) => ({
    name,
    inputSchema,
    made: toProviderSchema(inputSchema, profile),
  }))

  test('every schema of the corpus is valid, or in quarantine', () => {
    const broken = results.flatMap(({ name, made }) =>
      made.kind === 'schema' ? findBroken(profile, made.schema).map((rule) => `${name}: ${rule}`) : [],
    )
    expect(broken).toEqual([])
  })

  test('these are in quarantine, for these reasons', () => {
    const reasons: Record<string, number> = {}
    for (const { made } of results) {
      if (made.kind === 'schema') continue
      const reason = made.reason.replaceAll(/`[^`]*`/g, '`…`')
      reasons[reason] = (reasons[reason] ?? 0) + 1
    }
    expect(reasons).toEqual(QUARANTINED[profile])
  })

  test('what needs no change is the object that came', () => {
    const same = results.filter(
      ({ inputSchema, made }) => made.kind === 'schema' && made.schema === inputSchema,
    )
    expect(same.length).toBe(UNTOUCHED[profile])
  })

  test('what the provider takes as it came is not changed', () => {
    const changed = results.filter(
      ({ inputSchema, made }) =>
        made.kind === 'schema' &&
        made.schema !== inputSchema &&
        findBroken(profile, inputSchema).length === 0 &&
        !(LEAVES_OUT.has(profile) && isTrimmed(inputSchema, made.schema)),
    )
    // An empty `enum` is allowed, but no value could satisfy it.
    const isEmptied = profile === 'anthropic' || profile === 'openai'
    expect(changed.map(({ name }) => name)).toEqual(isEmptied ? ['netlify-mcp netlify-coding-rules'] : [])
  })

  test('the originals are as they were', () => {
    const fresh = readCorpus().flatMap(({ tools }) => tools.map(({ inputSchema }) => inputSchema))
    expect(TOOLS.map(({ inputSchema }) => inputSchema)).toEqual(fresh)
  })

  test('no argument is lost, and none is added', () => {
    for (const { name, inputSchema, made } of results) {
      if (made.kind !== 'schema' || made.schema === inputSchema) continue
      const before = Object.keys(inputSchema['properties'] ?? {})
      expect([name, Object.keys(made.schema['properties'] as object)]).toEqual([name, before])
    }
  })
})

/** Definitions that nobody refers to. */
const LEAVES_OUT: ReadonlySet<Profile> = new Set(['anthropic', 'openai'])

/** The same, with some of its definitions: those that it refers to. */
function isTrimmed(original: JsonSchema, made: JsonSchema): boolean {
  const { $defs: all = {}, ...rest } = original as { $defs?: JsonSchema }
  const { $defs: kept = {}, ...same } = made as { $defs?: JsonSchema }
  const referred = JSON.stringify(made).matchAll(/"#\/\$defs\/([^"/]+)/g)
  return (
    isEqual(rest, same) &&
    Object.keys(kept).every((name) => isEqual(kept[name], all[name])) &&
    [...referred].every(([, name]) => kept[name!] !== undefined)
  )
}

test('the definitions that Notion puts into every tool are told where they are of use', () => {
  const notion = TOOLS.filter(({ name }) => name.startsWith('notion'))
  const bytes = (schemas: readonly unknown[]): number => JSON.stringify(schemas).length
  const made = notion.map(({ inputSchema }) => toProviderSchema(inputSchema, 'anthropic'))
  const told = bytes(made) / bytes(notion.map(({ inputSchema }) => inputSchema))
  expect([notion.length, told < 0.3]).toEqual([24, true])
})

describe('the rules themselves', () => {
  test('would not let the schemas of the corpus pass as they came', () => {
    const refused = (profile: Profile): number =>
      TOOLS.filter(({ inputSchema }) => findBroken(profile, inputSchema).length > 0).length
    expect(PROFILES.map((profile) => [profile, refused(profile)])).toEqual([
      ['anthropic', 20],
      ['openai', 16],
      ['openai-strict', 1463],
      ['gemini', 820],
      ['moonshot', 734],
      ['none', 0],
    ])
  })

  test('each has a source', () => {
    for (const profile of PROFILES) {
      for (const { says, source } of RULES[profile]) expect([says, source.length > 0]).toEqual([says, true])
    }
  })
})
