/**
 * entry-json, problem-json: the shapes that scripts depend on.
 */
import { describe, expect, test } from 'vitest'
import type { Fate } from '../../../src/model/catalog.ts'
import { createDocument, type ConfigNode } from '../../../src/model/document.ts'
import type { FoundEntry, NormalizedEntry } from '../../../src/model/entry.ts'
import type { Origin } from '../../../src/model/origin.ts'
import { literal } from '../../../src/model/template.ts'
import { createProblem, createWarning } from '../../../src/problem/problem.ts'
import { toEntryJson } from '../../../src/hosts/shared/entry-json.ts'
import { toErrorJson, toProblemJson } from '../../../src/hosts/shared/problem-json.ts'

const NODE: ConfigNode = { kind: 'object', start: 0, end: 2, members: [] }
const ORIGIN: Origin = {
  file: '/home/ada/.claude.json',
  line: 14,
  column: 5,
  source: 'claude-code',
  scope: 'user',
}

const FOUND: FoundEntry = {
  name: 'github',
  origin: ORIGIN,
  rank: 0,
  reach: 'user',
  dialect: 'claude-code',
  document: createDocument(ORIGIN.file, '{}', NODE),
  node: NODE,
  variables: {},
  baseDir: '/',
}

const ENTRY: NormalizedEntry = {
  found: FOUND,
  warnings: [createWarning({ code: 'normalize/not-used', message: 'w' })],
  kind: 'definition',
  definition: {
    name: 'github',
    values: 'literal',
    transport: { type: 'stdio', command: literal('npx'), args: [], env: new Map() },
  },
}

test('an entry has its place, its fate and its warnings', () => {
  expect(toEntryJson({ entry: ENTRY, fate: { kind: 'chosen' } })).toEqual({
    name: 'github',
    type: 'stdio',
    scope: 'user',
    source: 'claude-code',
    file: '/home/ada/.claude.json',
    line: 14,
    column: 5,
    fate: { kind: 'chosen' },
    warnings: [{ code: 'normalize/not-used', message: 'w', hints: [] }],
  })
})

test('an invalid entry has problems, and a type only if it says one', () => {
  const problem = createProblem({ code: 'normalize/invalid', message: 'p' })
  const entry: NormalizedEntry = { found: FOUND, warnings: [], kind: 'invalid', problems: [problem] }
  const { type, problems, fate } = toEntryJson({ entry, fate: { kind: 'untrusted', reason: 'r' } })
  expect({ type, problems, fate }).toEqual({
    type: null,
    problems: [{ code: 'normalize/invalid', message: 'p', hints: [] }],
    fate: { kind: 'untrusted', reason: 'r' },
  })
})

test.each<[Fate, object]>([
  [
    { kind: 'shadowed', by: ORIGIN, reason: 'r' },
    {
      kind: 'shadowed',
      by: { file: '/home/ada/.claude.json', line: 14, column: 5, source: 'claude-code', scope: 'user' },
      reason: 'r',
    },
  ],
  [
    { kind: 'duplicate', by: { ...ORIGIN, name: 'gh' }, reason: 'r' },
    {
      kind: 'duplicate',
      by: {
        file: '/home/ada/.claude.json',
        line: 14,
        column: 5,
        source: 'claude-code',
        scope: 'user',
        name: 'gh',
      },
      reason: 'r',
    },
  ],
  [
    { kind: 'disabled', by: { file: '/f', line: 2, column: 3 }, reason: 'r' },
    { kind: 'disabled', by: { file: '/f', line: 2, column: 3 }, reason: 'r' },
  ],
  [
    { kind: 'denied', by: { file: '/etc/s', line: 1, rule: 'evil-*' }, reason: 'r' },
    { kind: 'denied', by: { file: '/etc/s', line: 1, rule: 'evil-*' }, reason: 'r' },
  ],
  [
    { kind: 'excluded', by: { rule: '--strict-mcp-config' }, reason: 'r' },
    { kind: 'excluded', by: { rule: '--strict-mcp-config' }, reason: 'r' },
  ],
  [
    { kind: 'untrusted', reason: 'r', changed: [{ field: 'args', was: '["--token","abc"]', is: '[]' }] },
    { kind: 'untrusted', reason: 'r', changed: [{ field: 'args', was: '["--token","‹secret›"]', is: '[]' }] },
  ],
  [
    { kind: 'declined', reason: 'r' },
    { kind: 'declined', reason: 'r' },
  ],
])('the fate %j says who decided', (fate, json) => {
  expect(toEntryJson({ entry: ENTRY, fate }).fate).toEqual(json)
})

describe('a problem', () => {
  test('is one line of JSON with its place', () => {
    const problem = createProblem({
      code: 'permit/denied',
      message: 'policy does not allow `github.delete_repo`',
      where: { file: '/etc/plugboard/settings.toml', line: 12, column: 1, scope: 'managed' },
      notes: ['denied by rule `no-deletes`'],
      hints: ['…'],
    })
    expect(JSON.stringify(toErrorJson(problem))).toBe(
      '{"error":{"code":"permit/denied","message":"policy does not allow `github.delete_repo`","file":"/etc/plugboard/settings.toml","line":12,"column":1,"notes":["denied by rule `no-deletes`"],"hints":["…"]}}',
    )
  })

  test('of a whole file has no line', () => {
    const problem = createProblem({ code: 'a/b', message: 'm', where: { file: '/f' } })
    expect(toProblemJson(problem)).toEqual({ code: 'a/b', message: 'm', file: '/f', hints: [] })
  })
})
