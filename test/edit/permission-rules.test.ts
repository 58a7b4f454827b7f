/**
 * permission-rules: the smallest change, and everything else as it was.
 */
import * as fc from 'fast-check'
import { parse, type ParseError } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import type { Changes } from '../../src/edit/change.ts'
import { loadEdit } from '../../src/edit/edit.ts'
import {
  planPutRules,
  planRemoveRules,
  type PutRule,
  type WrittenRule,
} from '../../src/edit/permission-rules.ts'
import { ProblemError } from '../../src/problem/problem.ts'

type Edited<T> =
  | { readonly kind: 'edited'; readonly text: string; readonly done: T }
  | { readonly kind: 'refused'; readonly why: string }

const EDITS = { jsonc: await loadEdit('jsonc'), toml: await loadEdit('toml') }

function putRule(
  text: string | undefined,
  rule: WrittenRule,
  format: keyof typeof EDITS = 'jsonc',
): Edited<PutRule> {
  let done: PutRule = 'there already'
  return edited(text, format, {
    changes: (value) => {
      const plan = planPutRules(value, [rule])
      done = plan.done[0]!
      return plan.changes
    },
    done: () => done,
  })
}

function removeRules(
  text: string,
  isUnwanted: (tool: string) => boolean,
  format: keyof typeof EDITS = 'jsonc',
): Edited<number> {
  let done = 0
  return edited(text, format, {
    changes: (value) => {
      const plan = planRemoveRules(value, isUnwanted)
      done = plan.done
      return plan.changes
    },
    done: () => done,
  })
}

function edited<T>(
  text: string | undefined,
  format: keyof typeof EDITS,
  { changes, done }: { readonly changes: Exclude<Changes, readonly unknown[]>; readonly done: () => T },
): Edited<T> {
  try {
    return { kind: 'edited', text: EDITS[format]({ file: 'settings', text }, changes), done: done() }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { kind: 'refused', why: error.message }
  }
}

const ALLOW = { tool: 'mcp__github__*', action: 'allow' } as const

const COMMENTED = `// mine
{
  "sources": { "cursor": false }, // not that one
  "permissions": {
    "rules": [
      // the team said so
      { "tool": "mcp__a", "action": "deny", "reason": "no" },
      { "tool": "mcp__b", "action": "ask" }, // hm
    ],
  },
}
`

describe('put', () => {
  test.each([
    ['no file', undefined],
    ['an empty one', ''],
    ['an empty object', '{}'],
  ])('into %s', (_, text) => {
    const edited = putRule(text, ALLOW)
    expect(edited).toMatchObject({ kind: 'edited', done: 'added' })
    expect((edited as { text: string }).text.trim()).toBe(`{
  "permissions": {
    "rules": [
      { "tool": "mcp__github__*", "action": "allow" }
    ]
  }
}`)
  })

  test('at the end of what is there, comments and all', () => {
    expect(putRule(COMMENTED, ALLOW)).toEqual({
      kind: 'edited',
      done: 'added',
      text: COMMENTED.replace('// hm', '// hm\n      { "tool": "mcp__github__*", "action": "allow" },'),
    })
  })

  test.each([
    ['{"permissions":{"rules":[]}}', '[\n  { "tool": "mcp__github__*", "action": "allow" }\n]'],
    [
      '{"permissions":{"rules":[{ "tool": "x" }]}}',
      '[{ "tool": "x" }, { "tool": "mcp__github__*", "action": "allow" }]',
    ],
    [
      '{"permissions":{"rules":[1 /* , */ ]}}',
      '[1, /* , */ { "tool": "mcp__github__*", "action": "allow" } ]',
    ],
    [
      '{"permissions":{"rules":[\n 1 // one\n]}}',
      '[\n 1, // one\n { "tool": "mcp__github__*", "action": "allow" }\n]',
    ],
  ])('into %j', (text, rules) => {
    const edited = putRule(text, ALLOW)
    expect((edited as { text: string }).text).toBe(`{"permissions":{"rules":${rules}}}`)
  })

  test('in place of a rule for the same glob', () => {
    expect(putRule(COMMENTED, { tool: 'mcp__a', action: 'allow' })).toEqual({
      kind: 'edited',
      done: 'changed',
      text: COMMENTED.replace('"deny"', '"allow"'),
    })
    expect(putRule(COMMENTED, { tool: 'mcp__a', action: 'deny', reason: 'really' })).toEqual({
      kind: 'edited',
      done: 'changed',
      text: COMMENTED.replace('"no"', '"really"'),
    })
    expect(putRule(COMMENTED, { tool: 'mcp__a', action: 'deny' })).toEqual({
      kind: 'edited',
      done: 'there already',
      text: COMMENTED,
    })
  })

  test('as the file is indented and its lines end', () => {
    const edited = putRule('{\r\n\t"permissions": {\r\n\t\t"mode": "plan"\r\n\t}\r\n}\r\n', ALLOW)
    const { text } = edited as { text: string }
    expect(text).toBe(
      '{\r\n\t"permissions": {\r\n\t\t"mode": "plan",\r\n\t\t"rules": [\r\n\t\t\t{ "tool": "mcp__github__*", "action": "allow" }\r\n\t\t]\r\n\t}\r\n}\r\n',
    )
  })

  test.each([
    ['{ "permissions": ', 'this JSON file does not parse: a value is expected here'],
    ['[]', 'the file must be an object, but is a list'],
    ['{ "permissions": [] }', '`permissions` must be an object, but is a list'],
    ['{ "permissions": { "rules": {} } }', '`permissions.rules` must be a list, but is an object'],
    ['{ "permissions": {}, "permissions": {} }', '`permissions` is written twice in this file'],
    ['{ "permissions": { "rules": [], "rules": [] } }', '`permissions.rules` is written twice in this file'],
  ])('not into %s', (text, why) => {
    expect(putRule(text, ALLOW)).toEqual({ kind: 'refused', why })
  })

  test('not out of settings that say them twice', () => {
    const text = '{ "permissions": {}, "permissions": { "rules": [{ "tool": "mcp__a" }] } }'
    expect(removeRules(text, () => true)).toEqual({
      kind: 'refused',
      why: '`permissions` is written twice in this file',
    })
  })

  test('several at once, the second in place of the first', () => {
    const rules = [ALLOW, { ...ALLOW, action: 'deny' }, { tool: 'mcp__z', action: 'ask' }] as const
    const { changes, done } = planPutRules({}, rules)
    expect(done).toEqual(['added', 'changed', 'added'])
    expect(rulesIn(EDITS.jsonc({ file: 'settings', text: undefined }, changes))).toEqual(rules.slice(1))
  })
})

describe('in TOML', () => {
  const TOML = `# mine
[permissions]
mode = "plan" # for now

# the team said so
[[permissions.rules]]
tool = "mcp__a"
action = "deny"
reason = "no" # really

[sources]
cursor = false
`

  test('a rule is put behind the others, or in the place of its own', () => {
    expect(putRule(TOML, { ...ALLOW, reason: 'a "good" one' }, 'toml')).toEqual({
      kind: 'edited',
      done: 'added',
      text: TOML.replace(
        '\n[sources]',
        `\n[[permissions.rules]]\ntool = "mcp__github__*"\naction = "allow"\nreason = 'a "good" one'\n\n[sources]`,
      ),
    })
    expect(putRule(TOML, { tool: 'mcp__a', action: 'ask' }, 'toml')).toEqual({
      kind: 'edited',
      done: 'changed',
      text: TOML.replace('"deny"', '"ask"'),
    })
    expect(putRule('', ALLOW, 'toml')).toEqual({
      kind: 'edited',
      done: 'added',
      text: '[[permissions.rules]]\ntool = "mcp__github__*"\naction = "allow"\n',
    })
  })

  test('a rule is taken out, and what comes after it stays', () => {
    expect(removeRules(TOML, () => true, 'toml')).toEqual({
      kind: 'edited',
      done: 1,
      text: '# mine\n[permissions]\nmode = "plan" # for now\n\n# the team said so\n\n[sources]\ncursor = false\n',
    })
  })
})

describe('remove', () => {
  test.each([
    ['mcp__a', ['mcp__b']],
    ['mcp__b', ['mcp__a']],
    ['mcp__c', ['mcp__a', 'mcp__b']],
  ])('%s', (unwanted, left) => {
    const edited = removeRules(COMMENTED, (tool) => tool === unwanted)
    const { text, done } = edited as { text: string; done: number }
    const { permissions, sources } = parse(text, [], { allowTrailingComma: true }) as {
      readonly sources: object
      readonly permissions: { readonly rules: readonly { readonly tool: string }[] }
    }
    expect(permissions.rules.map(({ tool }) => tool)).toEqual(left)
    expect(done).toBe(2 - left.length)
    expect(sources).toEqual({ cursor: false })
    expect(text).toContain('// mine')
    expect(text).toContain('// not that one')
  })

  test('all of them, and the list stays', () => {
    const { text, done } = removeRules(COMMENTED, () => true) as { text: string; done: number }
    expect(done).toBe(2)
    expect(parse(text, [], { allowTrailingComma: true })).toEqual({
      sources: { cursor: false },
      permissions: { rules: [] },
    })
  })

  test('from a text without rules changes nothing', () => {
    expect(removeRules('{ "enabled": true }', () => true)).toEqual({
      kind: 'edited',
      done: 0,
      text: '{ "enabled": true }',
    })
  })
})

test('any changes one after the other leave what they say, every comment, and a text that parses', () => {
  const texts = [
    undefined,
    '{}',
    '// top\n{\n\t"enabled": true // on\n}\n',
    COMMENTED,
    '{"permissions":{"mode":"plan"}}',
    '{ "permissions": { "rules": [ /* none */ ] } }',
    '{\r\n  "permissions": {\r\n    "rules": [\r\n      { "tool": "mcp__a", "action": "ask" }\r\n    ]\r\n  }\r\n}',
  ]
  const tool = fc.constantFrom('mcp__a', 'mcp__b', 'mcp__c', 'mcp__"d"')
  const rule = fc.record(
    { tool, action: fc.constantFrom('allow', 'ask', 'deny'), reason: fc.constantFrom('x', 'y // z') },
    { requiredKeys: ['tool', 'action'] },
  )
  const step = fc.oneof(
    rule.map((put) => ({ put })),
    tool.map((remove) => ({ remove })),
  )
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(step, { maxLength: 8 }), (start, steps) => {
      let text = start ?? '{}'
      const rules = new Map(rulesIn(text).map((one) => [one.tool, one]))
      for (const one of steps) {
        const edited =
          'put' in one
            ? putRule(text, one.put as Parameters<typeof putRule>[1])
            : removeRules(text, (other) => other === one.remove)
        if (edited.kind !== 'edited') throw new Error(edited.why)
        ;({ text } = edited)
        if ('put' in one) rules.set(one.put.tool, { ...rules.get(one.put.tool), ...one.put })
        else rules.delete(one.remove)
      }
      expect(rulesIn(text)).toEqual([...rules.values()])
      for (const comment of start?.match(/\/\/ \w+|\/\* \w+ \*\//g) ?? []) expect(text).toContain(comment)
    }),
    { numRuns: 1000 },
  )
})

interface RuleInText {
  readonly tool: string
}

function rulesIn(text: string): readonly RuleInText[] {
  const errors: ParseError[] = []
  const value = parse(text, errors, { allowTrailingComma: true }) as {
    readonly permissions?: { readonly rules?: readonly RuleInText[] }
  }
  expect(errors, text).toEqual([])
  return value.permissions?.rules ?? []
}
