/**
 * permit: the precedence of rules, grants, pins, modes and persons, and the ways round a denial that do not exist.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action, Caller, Mode, PermissionRule, Permissions } from '../../../src/model/permission.ts'
import type { Problem } from '../../../src/model/problem.ts'
import { canGrant, consider, permit } from '../../../src/pipeline/permit/permit.ts'
import { toPin } from '../../../src/pipeline/permit/pins.ts'
import { restrict } from '../../../src/pipeline/permit/restrict.ts'
import { createProblem } from '../../../src/problem/problem.ts'
import { createGrant, createPermissions, createRule, createTarget, STYLES } from './targets.ts'

const TARGET = createTarget('github', 'create_issue')
const ALLOW = createRule('allow', 'mcp__github__*')
const ASK = createRule('ask', 'mcp__github__create_issue')
const MANAGED_ASK = createRule('ask', 'mcp__github', 'managed')
const DENY = createRule('deny', 'mcp__*__create_*')
const GRANT = createGrant(TARGET)
const PIN = toPin(
  { ...TARGET, definition: { ...TARGET.definition, description: 'other' } },
  '2026-11-01T00:00:00Z',
)
const PROBLEM: Problem = createProblem({ code: 'normalize/setting', message: 'a rule is no rule' })
const CHANGE = { was: PIN, is: TARGET.definition }

const byRule = (rule: PermissionRule): object => ({ kind: 'rule', rule })

describe('the table of precedence', () => {
  test.each<[string, Partial<Permissions>, Caller, Action, object]>([
    ['no rule: ask', {}, 'model', 'ask', { kind: 'default' }],
    ['an allow rule', { rules: [ALLOW] }, 'model', 'allow', byRule(ALLOW)],
    ['ask is stricter than allow', { rules: [ALLOW, ASK] }, 'model', 'ask', byRule(ASK)],
    ['deny is stricter than all', { rules: [ALLOW, ASK, DENY] }, 'model', 'deny', byRule(DENY)],
    ['a grant', { grants: [GRANT] }, 'model', 'allow', { kind: 'grant', grant: GRANT }],
    [
      'a grant outranks an ask',
      { rules: [ASK], grants: [GRANT] },
      'model',
      'allow',
      { kind: 'grant', grant: GRANT },
    ],
    [
      'a grant does not outrank the organisation',
      { rules: [ASK, MANAGED_ASK], grants: [GRANT] },
      'model',
      'ask',
      byRule(MANAGED_ASK),
    ],
    ['a grant does not outrank a deny', { rules: [DENY], grants: [GRANT] }, 'model', 'deny', byRule(DENY)],
    [
      'a changed tool stops over a grant and an allow rule',
      { rules: [ALLOW], grants: [GRANT], pins: [PIN] },
      'model',
      'ask',
      { kind: 'pin', change: CHANGE },
    ],
    [
      'plan denies what a rule allows',
      { mode: 'plan', rules: [ALLOW] },
      'model',
      'deny',
      { kind: 'mode', mode: 'plan' },
    ],
    [
      'plan denies a person, with its line',
      { mode: 'plan', plan: { file: '/s', line: 3 }, grants: [GRANT] },
      'person',
      'deny',
      { kind: 'mode', mode: 'plan', by: { file: '/s', line: 3 } },
    ],
    [
      'bypass turns ask into allow',
      { mode: 'bypass', rules: [ASK] },
      'model',
      'allow',
      { kind: 'mode', mode: 'bypass' },
    ],
    [
      'bypass turns the ask of the organisation into allow',
      { mode: 'bypass', rules: [MANAGED_ASK] },
      'model',
      'allow',
      { kind: 'mode', mode: 'bypass' },
    ],
    [
      'bypass does not turn deny into allow',
      { mode: 'bypass', rules: [DENY] },
      'model',
      'deny',
      byRule(DENY),
    ],
    ['a person has answered', { rules: [MANAGED_ASK] }, 'person', 'allow', { kind: 'person' }],
    ['a person is denied all the same', { rules: [DENY] }, 'person', 'deny', byRule(DENY)],
    [
      'a person has not answered for a changed tool',
      { pins: [PIN] },
      'person',
      'ask',
      { kind: 'pin', change: CHANGE },
    ],
    [
      'rules that cannot be understood deny everything',
      { broken: PROBLEM, rules: [ALLOW], grants: [GRANT], mode: 'bypass' },
      'person',
      'deny',
      { kind: 'unreadable', problem: PROBLEM },
    ],
    [
      'pins that cannot be read make everything a question',
      { unknownPins: PROBLEM, rules: [ALLOW], grants: [GRANT] },
      'person',
      'ask',
      { kind: 'unreadable', problem: PROBLEM },
    ],
    [
      'a filter denies what it does not name',
      { filters: [['mcp__files']], rules: [ALLOW] },
      'person',
      'deny',
      { kind: 'filter' },
    ],
    [
      'a filter lets pass what it names',
      { filters: [['mcp__github']], rules: [ALLOW] },
      'model',
      'allow',
      byRule(ALLOW),
    ],
    [
      'a tool must be named by every filter',
      { filters: [['mcp__github'], ['mcp__*__read_*']], rules: [ALLOW] },
      'model',
      'deny',
      { kind: 'filter' },
    ],
  ])('%s', (_, given, caller, action, by) => {
    expect(permit(createPermissions(given), TARGET, caller)).toEqual({ action, by })
  })

  test('of equally strict rules the highest level is the evidence', () => {
    const rules = (['session', 'project', 'user', 'local', 'managed'] as const).map((level) =>
      createRule('deny', 'mcp__github', level),
    )
    expect(consider(createPermissions({ rules }), TARGET).rules.map(({ level }) => level)).toEqual([
      'managed',
      'local',
      'user',
      'project',
      'session',
    ])
  })

  test('hints of a tool about itself change nothing', () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
    const harmless = createTarget('github', 'create_issue', { definition: { annotations } })
    expect(permit(createPermissions(), harmless, 'model')).toEqual({ action: 'ask', by: { kind: 'default' } })
  })

  test('to remember an answer is useless where the organisation asks', () => {
    expect(canGrant(createPermissions({ rules: [ASK] }), TARGET)).toBe(true)
    expect(canGrant(createPermissions({ rules: [ASK, MANAGED_ASK] }), TARGET)).toBe(false)
  })
})

function actionFor(rule: PermissionRule, target = TARGET): Action {
  return permit(createPermissions({ rules: [rule] }), target, 'model').action
}

describe('globs', () => {
  test.each([
    ['mcp__github__create_issue', true],
    ['mcp__github__*', true],
    ['mcp__github', true],
    ['mcp__*', true],
    ['*', true],
    ['mcp__git*__create_?????', true],
    ['mcp__{gitlab,github}__{create,delete}_*', true],
    ['*__create_issue', true],
    ['mcp__github__create', false],
    ['mcp__git', false],
    ['mcp__github__create_????', false],
    ['mcp__github__delete_*', false],
    ['github', false],
  ])('`%s`', (tool, isMatch) => {
    expect(actionFor(createRule('deny', tool))).toBe(isMatch ? 'deny' : 'ask')
    expect(actionFor(createRule('allow', tool))).toBe(isMatch ? 'allow' : 'ask')
  })

  test.each(['a/b', '.hidden', 'two words', 'line\nbreak', 'C:\\x', 'ünï', '😀'])(
    'no character of a name is special: %j',
    (tool) => {
      const target = createTarget('files', tool)
      for (const glob of ['mcp__files__*', `mcp__files__${'?'.repeat([...tool].length)}`, 'mcp__f*s']) {
        expect(actionFor(createRule('deny', glob), target), glob).toBe('deny')
        expect(actionFor(createRule('allow', glob), target), glob).toBe('allow')
      }
    },
  )

  test('a glob of many stars takes no longer than others', () => {
    const target = createTarget('x', 'a'.repeat(5000))
    const start = performance.now()
    expect(actionFor(createRule('deny', `mcp__x__${'*a'.repeat(40)}*b`), target)).toBe('ask')
    expect(performance.now() - start).toBeLessThan(2000)
  })

  test('what is no glob denies everything and allows nothing', () => {
    expect(actionFor(createRule('deny', 'mcp__other__[ab]'))).toBe('deny')
    expect(actionFor(createRule('allow', 'mcp__github__[a-z_]*'))).toBe('ask')
  })
})

describe('a denial cannot be got round', () => {
  const deny = (tool: string): Permissions =>
    createPermissions({ mode: 'bypass', rules: [createRule('deny', tool)] })

  test.each(STYLES)('by showing names in the style %s, whatever style the rule was written in', (style) => {
    const target = createTarget('github', 'delete_repo', { style })
    for (const rule of ['mcp__github__delete_repo', 'github__delete_repo', 'mcp_github_delete_repo']) {
      expect(permit(deny(rule), target, 'model').action, rule).toBe('deny')
    }
  })

  test.each(STYLES)('by a name so long that it is shown with a hash in the style %s', (style) => {
    const tool = `delete_${'x'.repeat(80)}`
    const shown = STYLES.map((one) => createTarget('github', tool, { style: one }).name)
    const target = createTarget('github', tool, { style })
    for (const rule of [...shown, `mcp__github__${tool}`, 'mcp__github__delete_*'])
      expect(permit(deny(rule), target, 'model').action, rule).toBe('deny')
  })

  test.each([
    ['upper case', 'GitHub', 'DELETE_Repo'],
    ['Cyrillic letters', 'github', 'dеlеtе_rеро'],
    ['Greek letters', 'githυb', 'delετe_repο'],
    ['capital letters of other alphabets', 'gΙthuΒ', 'DΕLETЕ_RЕРО'],
    ['wide letters', 'ｇｉｔｈｕｂ', 'ｄｅｌｅｔｅ＿ｒｅｐｏ'],
    ['mathematical letters', 'github', '𝐝𝐞𝐥𝐞𝐭𝐞_𝑟𝑒𝑝𝑜'],
    ['accents', 'github', 'délète_repo'],
    ['characters that cannot be seen', 'git\u200bhub', 'delete\u2060_re\u{e0041}po\u202e'],
    ['letters with a stroke', 'giŧħuƀ', 'đełeŧe_repø'],
    ['letters of Lisu, Cherokee and Coptic', 'ꓖꓲꓔꓧꓴꓐ', 'ꓓꭼꓡꭼꭲꓰ_ꓣꭼꮲⲟ'],
    ['another underscore', 'github', 'delete‿repo'],
    ['blanks', ' github', 'delete repo '],
    ['several of these at once', 'ＧіtHub\u2007', ' dеlete\u00a0rеpо'],
  ])('by %s', (_, server, tool) => {
    const target = createTarget(server, tool)
    for (const rule of ['mcp__github__delete_repo', 'mcp__github__*_repo', 'mcp__github', 'MCP__GitHub__D*'])
      expect(permit(deny(rule), target, 'model').action, rule).toBe('deny')
    expect(actionFor(createRule('ask', 'mcp__github__delete_repo'), target)).toBe('ask')
    expect(actionFor(createRule('allow', 'mcp__github__delete_repo'), target)).toBe('ask')
  })

  test.each(['my server', 'my.server', 'my/server', 'my😀server'])(
    'by a second server of the same sanitised name: %s',
    (server) => {
      for (const style of STYLES) {
        const target = createTarget(server, 'delete', { style })
        for (const rule of [
          'mcp__my_server__delete',
          'mcp__my_server',
          'mcp__my_server__*',
          'my_server__delete',
        ])
          expect(permit(deny(rule), target, 'model').action, rule).toBe('deny')
      }
    },
  )

  test('by a rule that is looser, from however high', () => {
    const rules = [
      createRule('allow', 'mcp__github', 'managed'),
      createRule('deny', 'mcp__github', 'project'),
    ]
    expect(permit(createPermissions({ mode: 'bypass', rules }), TARGET, 'person').action).toBe('deny')
  })
})

describe('nobody profits from another server', () => {
  test('an impostor under the name of a granted server inherits nothing', () => {
    const impostor = createTarget('github', 'create_issue', { fingerprint: 'is another' })
    const permissions = createPermissions({ grants: [GRANT] })
    expect(permit(permissions, TARGET, 'model').action).toBe('allow')
    expect(permit(permissions, impostor, 'model').action).toBe('ask')
  })

  test('nor when it hands out the very same object', () => {
    const impostor = {
      ...createTarget('github', 'create_issue', { fingerprint: 'x' }),
      definition: TARGET.definition,
    }
    const permissions = createPermissions({ grants: [GRANT] })
    expect(permit(permissions, TARGET, 'model').action).toBe('allow')
    expect(permit(permissions, impostor, 'model').action).toBe('ask')
    expect(permit(permissions, TARGET, 'model').action).toBe('allow')
  })

  test.each(STYLES)('a server whose name continues that of an allowed one, in the style %s', (style) => {
    for (const [server, tool] of [
      ['github__create_issue', 'anything'],
      ['github__x', 'create_issue'],
      ['github_', 'create_issue'],
      ['github_evil', 'create_issue'],
      ['git hub', 'create_issue'],
      ['GitHub', 'create_issue'],
    ] as const) {
      const target = createTarget(server, tool, { style })
      for (const rule of [
        'mcp__github__*',
        'mcp__github__create_issue',
        'mcp__github',
        'mcp__git_hub__*',
        'git_hub__*',
        'github__*',
        'mcp_github_*',
      ])
        expect(actionFor(createRule('allow', rule), target), `${server} ${rule}`).toBe('ask')
    }
  })

  test('a rule may name what a model sees, hash and all', () => {
    const target = createTarget('git hub', 'create issue')
    expect(actionFor(createRule('allow', target.name), target)).toBe('allow')
    expect(actionFor(createRule('allow', 'mcp__git hub__*'), target)).toBe('allow')
  })
})

describe('a fork', () => {
  test('can deny and filter, and its allow rules and laxer modes do not count', () => {
    const base = createPermissions({ rules: [ASK] })
    const laxer = restrict(base, { mode: 'bypass', rules: [{ ...ALLOW, action: 'allow' as 'ask' }] })
    expect(permit(laxer, TARGET, 'model')).toEqual({ action: 'ask', by: byRule(ASK) })
    expect(permit(restrict(base, { mode: 'plan' }), TARGET, 'model').action).toBe('deny')
    expect(permit(restrict(base, { allow: [] }), TARGET, 'model').action).toBe('deny')
    const odd = restrict(base, { rules: [{ tool: 'mcp__github', action: 'Deny' as 'deny' }] })
    expect(permit(odd, TARGET, 'model').action).toBe('deny')
    const rules = [{ tool: 'mcp__github', action: 'deny' as const, reason: 'not here' }]
    expect(permit(restrict(base, { rules }), TARGET, 'model').by).toEqual(
      byRule({ ...rules[0]!, level: 'session' }),
    )
  })

  test('is never laxer than what it was forked from', () => {
    const glob = fc.constantFrom('*', 'mcp__github', 'mcp__github__*', 'mcp__*__create_issue', 'mcp__x', '[')
    const mode = fc.constantFrom<Mode>('default', 'plan', 'bypass')
    const rule = fc.record({
      tool: glob,
      action: fc.constantFrom<Action>('allow', 'ask', 'deny'),
      level: fc.constantFrom<PermissionRule['level']>('managed', 'user', 'session'),
    })
    const permissions = fc.record({
      mode,
      rules: fc.array(rule),
      grants: fc.constantFrom([], [GRANT]),
      pins: fc.constantFrom([], [PIN]),
    })
    const restriction = fc.record(
      { allow: fc.array(glob), mode, rules: fc.array(rule) },
      { requiredKeys: [] },
    )
    const strictness = { allow: 0, ask: 1, deny: 2 }
    fc.assert(
      fc.property(
        permissions,
        restriction,
        fc.constantFrom<Caller>('model', 'person'),
        (given, limits, caller) => {
          const before = createPermissions(given)
          const after = restrict(before, limits as Parameters<typeof restrict>[1])
          const [a, b] = [before, after].map((one) => strictness[permit(one, TARGET, caller).action])
          expect(b).toBeGreaterThanOrEqual(a!)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

test('a thousand rules give what trying each of them gives', () => {
  const part = fc.constantFrom('github', 'git', 'hub', 'a', 'b_c', 'a__b', 'A')
  const piece = fc.constantFrom('*', '?', '{a,git}', 'github', 'a', 'b', '__', 'hub')
  const pattern = fc.oneof(
    fc.tuple(part, part).map(([one, two]) => `mcp__${one}__${two}`),
    fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => `mcp__${pieces.join('')}`),
  )
  const rules = fc.array(
    fc
      .tuple(fc.constantFrom<Action>('allow', 'ask', 'deny'), pattern)
      .map(([action, tool]) => createRule(action, tool)),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(rules, part, part, (all, server, tool) => {
      const target = createTarget(server, tool)
      const together = new Set(consider(createPermissions({ rules: all }), target).rules)
      const alone = all.filter(
        (rule) => consider(createPermissions({ rules: [rule] }), target).rules.length > 0,
      )
      expect([...together].toSorted(byRuleText)).toEqual(alone.toSorted(byRuleText))
    }),
  )
})

function byRuleText(a: PermissionRule, b: PermissionRule): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}
