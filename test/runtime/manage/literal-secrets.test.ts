/**
 * literal-secrets: what would be everybody's if it were in a repository.
 */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/runtime/definition-json.ts'
import { checkEntry } from '../../../src/runtime/manage/check-entry.ts'
import { findLiteralSecrets } from '../../../src/runtime/manage/literal-secrets.ts'
import { createMemoryWorld } from '../../worlds/memory.ts'

const world = createMemoryWorld({ env: { mytoken: 'hunter2' } })

const local = (more: object): JsonObject => ({ command: 'npx', ...more })
const remote = (more: object): JsonObject => ({ url: 'https://x.test/mcp', ...more })

test.each<[JsonObject, readonly string[]]>([
  [local({ env: { API_KEY: 'hunter2', LOG_LEVEL: 'debug' } }), ['env.API_KEY']],
  [local({ env: { ANYTHING: 'ghp_0123456789abcdef0123' } }), ['env.ANYTHING']],
  [local({ env: { AWS_KEY: 'AKIAIOSFODNN7EXAMPLE' } }), ['env.AWS_KEY']],
  [local({ env: { OTP_SECRET: 'JBSWY3DPEHPK3PXP' } }), ['env.OTP_SECRET']],
  [local({ env: { API_KEY: '${API_KEY}' } }), []],
  [local({ env: { API_KEY: '${API_KEY:-hunter2}' } }), ['env.API_KEY']],
  [local({ env: { API_KEY: '!pass show x' } }), []],
  [local({ env: { API_KEY: 'ACME_API_KEY' } }), []],
  [local({ env: { API_KEY: 'mytoken' } }), []],
  [local({ args: ['--token', 'hunter2'] }), ['args']],
  [local({ args: ['--token', '${TOKEN}', '-y', 'x'] }), []],
  [remote({ headers: { Authorization: 'Bearer hunter2' } }), ['headers.Authorization']],
  [remote({ headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': 'shop' } }), []],
  [{ url: 'https://u:pw@x.test/mcp' }, ['url']],
  [{ url: 'https://x.test/mcp?api_key=hunter2' }, ['url']],
  [{ url: 'https://x.test/mcp?team=shop' }, []],
  [remote({ oauth: { clientId: 'a', clientSecret: 'hunter2' } }), ['oauth.clientSecret']],
  [remote({ auth: { type: 'oauth', clientSecret: 'hunter2' } }), ['auth.clientSecret']],
])('%j: %j', async (entry, expected) => {
  const { definition } = await checkEntry(world, 'x', entry)
  expect(findLiteralSecrets(definition, world.env)).toEqual(expected)
})
