/**
 * policy: which server a rule names, and the ways around it that do not work.
 */
import { describe, expect, test } from 'vitest'
import type { ServerDefinition } from '../../../src/model/definition.ts'
import type { Policy, ServerMatch } from '../../../src/model/policy.ts'
import { findRefusal } from '../../../src/pipeline/admit/policy.ts'

const BY = { file: '/etc/plugboard/settings.json', line: 3, column: 5 }

function remote(url: string): ServerDefinition {
  return {
    name: 'x',
    transport: { type: 'http', url: [url], headers: new Map(), fallback: 'none' },
    values: 'literal',
  }
}

function local(...argv: string[]): ServerDefinition {
  const [command = '', ...args] = argv
  const transport = {
    type: 'stdio',
    command: [command],
    args: args.map((arg) => [arg]),
    env: new Map(),
  } as const
  return { name: 'x', transport, values: 'literal' }
}

function denying(match: ServerMatch): Policy {
  return { deny: [{ match, level: 'managed', by: BY }], allowLists: [] }
}

function allowing(match: ServerMatch): Policy {
  return {
    deny: [],
    allowLists: [{ by: BY, level: 'managed', rules: [{ match, level: 'managed', by: BY }] }],
  }
}

const url = (pattern: string): ServerMatch => ({ kind: 'url', pattern })

describe('a rule on URLs', () => {
  test.each([
    'https://evil.test/mcp',
    'https://EVIL.test/mcp',
    'https://evil.test:443/mcp',
    'https://user:secret@evil.test/mcp',
    'https://evil.test./mcp',
    'https://evil.test',
    'https://evil.test/mcp#fragment',
    'https://proxy.test/v2/ccr-sessions/1?mcp_url=https%3A%2F%2Fevil.test%2Fmcp',
  ])('`https://evil.test/*` denies %s', (address) => {
    expect(findRefusal(remote(address), denying(url('https://evil.test/*')), {})).toMatchObject({
      kind: 'denied',
      by: { ...BY, rule: 'https://evil.test/*' },
    })
  })

  test.each([
    ['https://evil.test:443/*', 'https://evil.test/mcp'],
    ['evil.test', 'https://evil.test/mcp'],
    ['*.test/mcp', 'https://evil.test/mcp'],
    ['https://evil.*', 'https://evil.test/mcp'],
    ['https://evil.test./*', 'https://evil.test/mcp'],
    ['https://evil.test/*', 'wss://evil.test/mcp'],
    ['https://evil.test:443/*', 'wss://evil.test/mcp'],
    ['wss://evil.test/*', 'https://evil.test/mcp'],
    ['http://evil.test:*/*', 'ws://evil.test:8080/mcp'],
    ['http://127.0.0.1:*/*', 'http://[::ffff:127.0.0.1]:3000/mcp'],
    ['http://127.0.0.1/*', 'ws://[::FFFF:7f00:1]/mcp'],
    ['127.*', 'http://[::ffff:127.0.0.1]/mcp'],
    ['http://[::ffff:127.0.0.1]:*/*', 'http://127.0.0.1:3000/mcp'],
    ['http://[::ffff:*/*', 'http://[::ffff:127.0.0.1]/mcp'],
    ['http://0x7f.1/*', 'http://127.0.0.1/mcp'],
    ['http://127.0.0.1/*', 'http://2130706433/mcp'],
    ['https://bücher.example/*', 'https://xn--bcher-kva.example/mcp'],
    ['https://*.BÜCHER.example/*', 'https://api.bücher.example/mcp'],
  ])('`%s` denies %s', (pattern, address) => {
    expect(findRefusal(remote(address), denying(url(pattern)), {})?.kind).toBe('denied')
  })

  test.each([
    ['https://*.good.test/*', 'https://evil.test/.good.test/'],
    ['https://good.test/*', 'https://good.test@evil.test/'],
    ['https://good.test/*', 'https://good.test.evil.test/'],
    ['https://good.test/*', 'http://good.test/'],
    ['https://good.test/*', 'ws://good.test/'],
    ['http://127.0.0.1/*', 'http://[::ffff:127.0.0.2]/'],
    ['http://127.0.0.1/*', 'http://[::127.0.0.1]/'],
    ['https://good.test/*', 'https://proxy.test/v2/ccr-sessions/1?mcp_url=https%3A%2F%2Fgood.test%2Fmcp'],
  ])('`%s` does not allow %s', (pattern, address) => {
    expect(findRefusal(remote(address), allowing(url(pattern)), {})?.kind).toBe('not-allowed')
  })

  test('looks at what a variable holds, not at its name', () => {
    const hidden: ServerDefinition = {
      name: 'x',
      transport: {
        type: 'http',
        url: [{ kind: 'env', name: 'TARGET' }],
        headers: new Map(),
        fallback: 'none',
      },
      values: 'literal',
    }
    expect(
      findRefusal(hidden, denying(url('https://evil.test/*')), { TARGET: 'https://evil.test/mcp' })?.kind,
    ).toBe('denied')
  })
})

describe('a rule on commands', () => {
  test('as a list names exactly these words', () => {
    const rule: ServerMatch = { kind: 'command', argv: ['npx', '-y', 'files'] }
    expect(findRefusal(local('npx', '-y', 'files'), denying(rule), {})?.kind).toBe('denied')
    expect(findRefusal(local('npx', '-y', 'files', 'more'), denying(rule), {})).toBeUndefined()
    expect(findRefusal(local('npx', '-y files'), denying(rule), {})).toBeUndefined()
  })

  test('as a pattern names the words joined by spaces', () => {
    const rule: ServerMatch = { kind: 'command-pattern', pattern: 'npx *files*' }
    expect(findRefusal(local('npx', '-y', 'files'), denying(rule), {})?.kind).toBe('denied')
    expect(findRefusal(local('node', 'files'), denying(rule), {})).toBeUndefined()
  })

  test('says nothing about a server that is reached', () => {
    expect(
      findRefusal(remote('https://a.test'), denying({ kind: 'command-pattern', pattern: '*' }), {}),
    ).toBeUndefined()
  })
})
