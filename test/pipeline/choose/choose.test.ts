/**
 * choose, with admit before it: the laws that hold for any set of layers.
 */
import * as fc from 'fast-check'
import { createMemoryWorld } from '../../worlds/memory.ts'
import { describe, expect, test } from 'vitest'
import type { Admission, Catalog, CatalogEntry } from '../../../src/model/catalog.ts'
import { createDocument } from '../../../src/model/document.ts'
import type { FoundEntry, NormalizedEntry } from '../../../src/model/entry.ts'
import { SCOPES_LOW_TO_HIGH, type Scope, type SourceId } from '../../../src/model/origin.ts'
import type { Policy, ServerRule } from '../../../src/model/policy.ts'
import type { Settings } from '../../../src/model/settings.ts'
import { admit, type AdmitContext } from '../../../src/pipeline/admit/admit.ts'
import { choose } from '../../../src/pipeline/choose/choose.ts'

interface Layer {
  readonly name: string
  readonly scope: Scope
  readonly source: SourceId
  readonly rank: number
  readonly line: number
  readonly shape: 'stdio' | 'http' | 'invalid' | 'off' | 'unsupported'
  readonly target: string
  readonly isApproved: boolean
}

const NAMES = ['github', 'files', 'linear']
const TARGETS = ['npx', 'uvx', 'https://a.example/mcp']

const layer: fc.Arbitrary<Layer> = fc.record({
  name: fc.constantFrom(...NAMES),
  scope: fc.constantFrom(...SCOPES_LOW_TO_HIGH),
  // Few, so that files of one scope and source often meet.
  source: fc.constantFrom('plugboard', 'cursor', 'mcp-json'),
  rank: fc.nat({ max: 3 }),
  line: fc.integer({ min: 1, max: 6 }),
  shape: fc.constantFrom('stdio', 'stdio', 'http', 'invalid', 'off', 'unsupported'),
  target: fc.constantFrom(...TARGETS),
  isApproved: fc.boolean(),
})

/** A file has one entry per line; scope, source and rank name the file. */
const layers = fc.uniqueArray(layer, {
  maxLength: 25,
  selector: ({ scope, source, rank, line }) => `${scope} ${source} ${rank} ${line}`,
})

const rule: fc.Arbitrary<ServerRule> = fc.record({
  match: fc.oneof(
    fc.record({ kind: fc.constant('name' as const), pattern: fc.constantFrom('github', 'f*', '*') }),
    fc.record({
      kind: fc.constant('url' as const),
      pattern: fc.constantFrom('https://a.example/*', 'https://*.example/mcp'),
    }),
    fc.record({ kind: fc.constant('command-pattern' as const), pattern: fc.constantFrom('npx*', '*') }),
    fc.record({ kind: fc.constant('command' as const), argv: fc.constantFrom(['npx'], ['uvx']) }),
  ),
  level: fc.constantFrom('managed', 'user', 'local', 'project'),
  by: fc.constant({ file: '/settings.json', line: 1, column: 1 }),
})

const policies: fc.Arbitrary<Policy> = fc.record({
  deny: fc.array(rule, { maxLength: 3 }),
  allowLists: fc.array(
    fc.record({
      by: fc.constant({ file: '/settings.json', line: 2, column: 1 }),
      level: fc.constantFrom('managed', 'user'),
      rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
})

describe('for any layers and any policy', () => {
  test('every entry has exactly one fate', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const { entries } = load(all, policy)
        expect(entries.map(({ entry }) => keyOf(entry.found)).sort()).toEqual(
          all.map((one) => keyOf(toFound(one))).sort(),
        )
      }),
    )
  })

  test('the order in which files are met changes nothing', () => {
    const shuffled = layers.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, policies, ([all, mixed], policy) => {
        expect(fatesOf(load(mixed, policy))).toEqual(fatesOf(load(all, policy)))
      }),
    )
  })

  test('a name is chosen at most once, and the servers are the chosen entries', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const { entries, servers } = load(all, policy)
        const chosen = entries
          .filter(({ fate }) => fate.kind === 'chosen')
          .map(({ entry }) => entry.found.name)
        expect(new Set(chosen).size).toBe(chosen.length)
        expect(servers.map(({ name }) => name)).toEqual(chosen)
      }),
    )
  })

  test('deny always wins, whatever any allow list says', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const everything = {
          ...policy,
          deny: [
            ...policy.deny,
            { match: { kind: 'name', pattern: 'github' }, level: 'user', by: { file: '/s' } } as const,
          ],
        }
        const chosen = load(all, everything).servers.map(({ name }) => name)
        expect(chosen).not.toContain('github')
      }),
    )
  })

  test('a server that no allow list names is not chosen', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const only = {
          by: { file: '/s', line: 1, column: 1 },
          level: 'user',
          rules: [{ match: { kind: 'name', pattern: 'files' }, level: 'user', by: { file: '/s' } }],
        } as const
        const chosen = load(all, { ...policy, allowLists: [...policy.allowLists, only] }).servers.map(
          ({ name }) => name,
        )
        expect(chosen.filter((name) => name !== 'files')).toEqual([])
      }),
    )
  })

  test('taking every unapproved project entry away changes nobody else', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const isStranger = (one: Layer): boolean => one.scope === 'project' && !one.isApproved
        const without = fatesOf(
          load(
            all.filter((one) => !isStranger(one)),
            policy,
          ),
        )
        const strangers = new Set(all.filter(isStranger).map((one) => keyOf(toFound(one))))
        const withThem = fatesOf(load(all, policy)).filter(([key]) => !strangers.has(key))
        expect(withThem).toEqual(without)
      }),
    )
  })

  test('who shadows stands higher and has the same name', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const { entries } = load(all, policy)
        for (const { entry, fate } of entries) {
          if (fate.kind !== 'shadowed') continue
          const [high, low] = [fate.by.scope, entry.found.origin.scope].map((scope) =>
            SCOPES_LOW_TO_HIGH.indexOf(scope),
          )
          expect(high).toBeGreaterThanOrEqual(low!)
        }
      }),
    )
  })

  test('only a chosen server displaces a duplicate', () => {
    fc.assert(
      fc.property(layers, policies, (all, policy) => {
        const { entries, servers } = load(all, policy)
        const chosen = new Set(servers.map(({ name }) => name))
        for (const { fate } of entries) if (fate.kind === 'duplicate') expect(chosen).toContain(fate.by.name)
      }),
    )
  })
})

const NO_SETTINGS: Settings = {
  sourcesOff: new Map(),
  connectors: [],
  plugins: new Map(),
  switches: new Map(),
  policy: { deny: [], allowLists: [] },
  projectDeny: [],
  permissions: { rules: [] },
  projectRules: [],
  problems: [],
}

function load(all: readonly Layer[], policy: Policy): Pick<Catalog, 'entries' | 'servers'> {
  const house: AdmitContext = {
    settings: NO_SETTINGS,
    policy,
    isStrict: false,
    native: new Set(),
    ownOrigins: new Set(),
    env: {},
    world: createMemoryWorld(),
    folder: { path: '/src/shop', names: ['/src/shop'], decision: 'trusted' },
  }
  return choose(
    all.map((one) => toAdmission(one, house)),
    {},
  )
}

function toAdmission(one: Layer, house: AdmitContext): Admission {
  const entry = toEntry(one)
  const facts = { command: one.target }
  const all = one.isApproved ? [{ decision: 'approved' as const, at: '2026-11-16', facts }] : []
  return admit(entry, house, { decisions: { all, stale: [] }, facts })
}

function toEntry(one: Layer): NormalizedEntry {
  const found = toFound(one)
  const problem = {
    code: 'test/problem',
    severity: 'error',
    message: 'broken',
    notes: [],
    hints: [],
  } as const
  if (one.shape === 'invalid') return { found, warnings: [], kind: 'invalid', problems: [problem] }
  if (one.shape === 'unsupported') return { found, warnings: [], kind: 'unsupported', problem }
  const isHttp = one.shape === 'http'
  const transport = isHttp
    ? ({ type: 'http', url: [one.target], headers: new Map(), fallback: 'none' } as const)
    : ({ type: 'stdio', command: [one.target], args: [], env: new Map() } as const)
  const off = one.shape === 'off' ? { off: { to: 'off', by: found.origin, reason: 'off' } as const } : {}
  return {
    found,
    warnings: [],
    kind: 'definition',
    definition: { name: one.name, transport, values: 'literal' },
    ...off,
  }
}

function toFound({ name, scope, source, rank, line }: Layer): FoundEntry {
  const file = `/${scope}/${source}/${rank}.json`
  const node = { kind: 'object', start: line * 10, end: line * 10 + 5, members: [] } as const
  return {
    name,
    origin: { file, line, column: 1, scope, source },
    rank,
    reach: 'user',
    dialect: 'plugboard',
    document: createDocument(file, '', node),
    node,
    variables: {},
    baseDir: '/',
  }
}

function keyOf({ origin, name }: FoundEntry): string {
  return `${origin.file}:${origin.line} ${name}`
}

function fatesOf({ entries }: { readonly entries: readonly CatalogEntry[] }): [string, object][] {
  return entries.map(({ entry, fate }) => [keyOf(entry.found), fate])
}
