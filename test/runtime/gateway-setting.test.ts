/**
 * gateway-setting: what settings files say of a gateway, and what a mistake in them means.
 */
import { expect, test } from 'vitest'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { createScratch } from '../worlds/scratch.ts'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

async function load(files: Readonly<Record<string, object>>): ReturnType<typeof loadCatalog> {
  using scratch = createScratch()
  for (const [path, value] of Object.entries(files)) {
    const file = path.startsWith('~') ? join(scratch.home, path.slice(2)) : join(scratch.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(value))
  }
  // Awaited here, or the files would be gone before they are read.
  return await loadCatalog(scratch.world)
}

const USER = '~/.config/plugboard/settings.json'

test('everything that can be said', async () => {
  const { gateway, gatewayFault } = await load({
    [USER]: {
      gateway: {
        rateLimit: '600/m',
        loopLimit: 0,
        maxResultTokens: 50_000,
        audit: 'audit.jsonl',
        auditArguments: true,
        authIssuer: 'https://login.example.com',
        authAudience: 'api://plugboard',
        publicUrl: 'https://mcp.example.com',
        allowedHosts: ['mcp.internal'],
        scopes: { 'mcp:read': ['docs', 'search-*'], 'mcp:admin': '*' },
        tlsCert: 'cert.pem',
        tlsKey: 'key.pem',
      },
    },
  })
  expect(gatewayFault).toBeUndefined()
  expect(gateway).toEqual({
    rateLimit: { perSecond: 10, burst: 100 },
    loopLimit: 0,
    maxResultTokens: 50_000,
    audit: 'audit.jsonl',
    auditArguments: true,
    authIssuer: 'https://login.example.com',
    authAudience: ['api://plugboard'],
    publicUrl: 'https://mcp.example.com',
    allowedHosts: ['mcp.internal'],
    scopes: new Map([
      ['mcp:read', ['docs', 'search-*']],
      ['mcp:admin', ['*']],
    ]),
    tlsCert: 'cert.pem',
    tlsKey: 'key.pem',
  })
})

test.each([
  [[], '`gateway` must be an object'],
  [{ loopLimit: -1 }, '`gateway.loopLimit` must be'],
  [{ loopLimit: '3' }, '`gateway.loopLimit` must be'],
  [{ maxResultTokens: 0.5 }, '`gateway.maxResultTokens` must be'],
  [{ rateLimit: 'often' }, '`gateway.rateLimit` must be'],
  [{ rateLimit: '0/s' }, '`gateway.rateLimit` must be'],
  [{ authIssuer: 7 }, '`gateway.authIssuer` must be an address'],
  [{ authIssuer: 'login' }, '`gateway.authIssuer` must be an address'],
  [{ scopes: 'all' }, '`gateway.scopes` must be an object of scopes'],
  [{ scopes: { 'a"b': ['x'] } }, '`gateway.scopes` must be an object of scopes'],
  [{ scopes: { a: [1] } }, '`gateway.scopes` must be an object of scopes'],
  [{ scope: { 'mcp:read': ['docs'] } }, 'there is no setting `gateway.scope`'],
  [{ scopes: { 'mcp:read': ['docs'] }, colour: 'red' }, 'there is no setting `gateway.colour`'],
  [{ maxPerServer: 'many' }, '`gateway.maxPerServer` must be'],
  [{ idleMinutes: null }, '`gateway.idleMinutes` must be'],
  [{ allowedHosts: [''] }, '`gateway.allowedHosts` must be'],
  [{ auditArguments: 'yes' }, '`gateway.auditArguments` must be `true` or `false`'],
])('%j is a mistake, for which no gateway is served', async (gateway, message) => {
  const { gatewayFault } = await load({ [USER]: { gateway } })
  expect(gatewayFault?.message).toContain(message)
})

test('a repository has no say in it', async () => {
  const { gateway, catalog } = await load({ '.plugboard/settings.json': { gateway: { rateLimit: 'off' } } })
  expect(gateway).toBeUndefined()
  expect(catalog.problems.map(({ message }) => message)).toContain(
    '`gateway` is ignored here: settings in a repository can only tighten',
  )
})
