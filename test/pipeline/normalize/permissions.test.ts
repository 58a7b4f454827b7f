/**
 * permissions: rules about calls in settings files, and what a file that is half understood is worth.
 */
import { describe, expect, test } from 'vitest'
import { loadCatalog, type LoadedCatalog } from '../../../src/runtime/load-catalog.ts'
import { decide, requireQuestions } from '../../../src/runtime/trust.ts'
import { createMemoryWorld } from '../../worlds/memory.ts'

const USER = '/home/ada/.config/plugboard/settings.json'
const TOML = '/home/ada/.config/plugboard/settings.toml'
const MANAGED = '/etc/plugboard/settings.json'
const PROJECT = '/src/shop/.plugboard/settings.json'
const SERVER = { '/src/shop/.mcp.json': '{ "mcpServers": { "shop": { "command": "shop" } } }' }

function load(files: Readonly<Record<string, string>>): Promise<LoadedCatalog> {
  return loadCatalog(createMemoryWorld({ files }))
}

function settings(permissions: unknown): string {
  return JSON.stringify({ permissions })
}

function problemsOf({ catalog }: LoadedCatalog): readonly string[] {
  return catalog.problems.map(({ code, message }) => `${code} ${message}`)
}

describe('rules', () => {
  test('come from every level, highest first, each with its line', async () => {
    const { permissions } = await load({
      [USER]: settings({ rules: [{ tool: 'mcp__a', action: 'allow' }] }),
      [TOML]: '# mine\n[[permissions.rules]]\ntool = "mcp__github__*"\naction = "ask"\nreason = "why not"\n',
      [MANAGED]: settings({ rules: [{ tool: 'mcp__b', action: 'deny' }] }),
    })
    expect(permissions).toEqual({
      rules: [
        { tool: 'mcp__b', action: 'deny', level: 'managed', by: { file: MANAGED, line: 1, column: 26 } },
        { tool: 'mcp__a', action: 'allow', level: 'user', by: { file: USER, line: 1, column: 26 } },
        {
          tool: 'mcp__github__*',
          action: 'ask',
          reason: 'why not',
          level: 'user',
          by: { file: TOML, line: 2, column: 1 },
        },
      ],
    })
  })

  test('of a repository count once something of it is approved, and only as far as they tighten', async () => {
    const rules = [
      { tool: 'mcp__a', action: 'deny' },
      { tool: 'mcp__b', action: 'ask' },
      { tool: 'mcp__c', action: 'allow' },
      { tool: 'mcp__d', action: 'forbid' },
    ]
    const world = createMemoryWorld({ files: { ...SERVER, [PROJECT]: settings({ rules, mode: 'plan' }) } })
    const before = await loadCatalog(world)
    expect(before.permissions).toEqual({ rules: [] })
    expect(before.projectRules.map(({ tool }) => tool)).toEqual(['mcp__a', 'mcp__b'])
    expect(problemsOf(before)).toEqual([
      'normalize/setting `action` must be `allow`, `ask` or `deny`',
      'normalize/setting-ignored this rule is ignored: settings in a repository can only tighten',
      'normalize/setting-ignored `mode` is ignored here: a repository can only add rules',
    ])
    await decide(world, before, 'approved', requireQuestions(before, 'shop'))
    const after = await loadCatalog(world)
    expect(after.permissions.rules.map(({ tool, level }) => [tool, level])).toEqual([
      ['mcp__a', 'project'],
      ['mcp__b', 'project'],
    ])
    expect(after.permissions.broken).toBeUndefined()
  })

  test.each(['readMcpResource', 'getmcpprompt', 'listMcpResources', 'mcp_x_y', 'x__y'])(
    'that name one of our own tools, or one in another style, are no warning: %s',
    async (tool) => {
      expect(problemsOf(await load({ [USER]: settings({ rules: [{ tool, action: 'deny' }] }) }))).toEqual([])
    },
  )

  test('that can name no tool are a warning', async () => {
    const loaded = await load({ [USER]: settings({ rules: [{ tool: 'github', action: 'deny' }] }) })
    expect(loaded.permissions.broken).toBeUndefined()
    expect(problemsOf(loaded)).toEqual([
      'normalize/rule-names-nothing no tool is called `github`: names are `mcp__<server>__<tool>`',
    ])
  })
})

describe('modes', () => {
  test('plan in any file of the user or the organisation is plan', async () => {
    const { permissions } = await load({
      [USER]: settings({ mode: 'plan' }),
      [MANAGED]: settings({ mode: 'default' }),
    })
    expect(permissions).toEqual({ rules: [], plan: { file: USER, line: 1, column: 24 } })
  })

  test('bypass is nothing for a file', async () => {
    const loaded = await load({ [USER]: settings({ mode: 'bypass' }) })
    expect(loaded.permissions).toEqual({ rules: [] })
    expect(problemsOf(loaded)).toEqual([
      'normalize/setting-ignored `mode` is ignored here: `bypass` must be asked for each time, and not by a file',
    ])
  })
})

describe('what is not understood permits nothing', () => {
  const rule = { tool: 'mcp__a', action: 'allow' }
  test.each([
    ['no object', [], '`permissions` must be an object'],
    ['no list of rules', { rules: {} }, '`rules` must be a list'],
    ['the lists of another agent', { deny: ['mcp__a'] }, '`permissions` has no `deny`'],
    ['a rule that is text', { rules: ['mcp__a'] }, 'a rule must be an object, but this is a string'],
    ['no tool', { rules: [{ action: 'deny' }] }, 'a rule needs a `tool`'],
    [
      'a glob we do not know',
      { rules: [{ ...rule, tool: 'mcp__[ab]' }] },
      '`tool` takes names of tools, with `*`, `?` and `{a,b}`',
    ],
    [
      'an empty tool',
      { rules: [{ ...rule, tool: ' ' }] },
      '`tool` takes names of tools, with `*`, `?` and `{a,b}`',
    ],
    ['no action', { rules: [{ tool: 'mcp__a' }] }, '`action` must be `allow`, `ask` or `deny`'],
    ['another action', { rules: [{ ...rule, action: 'Deny' }] }, '`action` must be `allow`, `ask` or `deny`'],
    [
      'a condition',
      { rules: [{ ...rule, pattern: 'x' }] },
      'a rule has no `pattern`, and cannot be applied without knowing it',
    ],
    ['a reason that is no text', { rules: [{ ...rule, reason: 1 }] }, '`reason` must be a string'],
    ['another mode', { mode: 'yolo' }, '`mode` must be `default` or `plan`'],
  ])('%s', async (_, permissions, message) => {
    for (const file of [USER, MANAGED]) {
      const loaded = await load({ [file]: settings(permissions) })
      expect(loaded.permissions.broken?.message).toBe(message)
      expect(loaded.catalog.problems.map((one) => one.message)).toEqual([message])
    }
    expect((await load({ [PROJECT]: settings(permissions) })).permissions.broken).toBeUndefined()
  })

  test('a rule that says something twice', async () => {
    const text = '{ "permissions": { "rules": [{ "tool": "mcp__a", "action": "deny", "action": "allow" }] } }'
    expect((await load({ [USER]: text })).permissions.broken?.message).toBe('this rule says something twice')
  })

  test('a file that does not parse', async () => {
    expect((await load({ [USER]: '{ "permissions":' })).permissions.broken?.code).toBe('discover/unparseable')
  })
})
