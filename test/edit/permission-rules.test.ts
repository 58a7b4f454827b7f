/**
 * permission-rules: the smallest change, and everything else as it was.
 */
import * as fc from 'fast-check'
import { parse, type ParseError } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { putRule, removeRules } from '../../src/edit/permission-rules.ts'

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
    ['{ "permissions": ', 'it does not parse'],
    ['[]', 'it is not an object'],
    ['{ "permissions": [] }', '`permissions` is not an object'],
    ['{ "permissions": { "rules": {} } }', '`rules` is not a list'],
    ['{ "permissions": {}, "permissions": {} }', 'it says `permissions` or `rules` twice'],
    ['{ "permissions": { "rules": [], "rules": [] } }', 'it says `permissions` or `rules` twice'],
  ])('not into %s', (text, why) => {
    expect(putRule(text, ALLOW)).toEqual({ kind: 'refused', why })
    expect(removeRules(text, () => true)).toEqual({ kind: 'refused', why })
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
