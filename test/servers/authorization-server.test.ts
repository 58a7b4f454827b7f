/**
 * The servers that the tests of signing in rest on: they are as strict as they claim to be.
 */
import { expect, test } from 'vitest'
import { startAuthorizationServer } from './authorization-server.ts'
import { findSecrets } from '../leaks/secrets.ts'
import { startProtectedServer } from './protected-server.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

async function post(url: string, token?: string, message: object = PING): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })
}

function refresh(issuer: string, clientId: string, token: string, resource: string): Promise<Response> {
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, resource }
  return fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
}

test('a token opens the server it was issued for, and no other', async () => {
  await using authorization = await startAuthorizationServer()
  await using server = await startProtectedServer({ authorization })
  await using other = await startProtectedServer({ authorization })
  const refused = await post(server.url)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer scope="mcp:read", resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`,
  )
  const { accessToken, scopes } = await authorization.signIn({ resource: server.url, scopes: ['mcp:read'] })
  expect(scopes).toEqual(['mcp:read'])
  // Known, so that it is found wherever it is printed.
  expect(findSecrets(`said ${accessToken} aloud`)).toEqual([accessToken])
  expect((await post(server.url, accessToken)).status).toBe(200)
  expect((await post(other.url, accessToken)).status).toBe(401)
  const admin = await post(server.url, accessToken, {
    ...PING,
    method: 'tools/call',
    params: { name: 'admin' },
  })
  expect(admin.status).toBe(403)
  expect(admin.headers.get('www-authenticate')).toContain(
    'error="insufficient_scope", scope="mcp:read mcp:admin"',
  )
  expect([server.answered(), server.answered(200), server.answered(403)]).toEqual([3, 1, 1])
})

test('a refresh token works once: shown again, the whole grant is gone', async () => {
  await using authorization = await startAuthorizationServer()
  await using server = await startProtectedServer({ authorization })
  const { clientId, refreshToken } = await authorization.signIn({ resource: server.url })
  const renewed = await refresh(authorization.issuer, clientId, refreshToken, server.url)
  const { access_token: token, refresh_token: next } = (await renewed.json()) as Record<string, string>
  expect((await post(server.url, token)).status).toBe(200)
  expect((await refresh(authorization.issuer, clientId, refreshToken, server.url)).status).toBe(400)
  expect((await post(server.url, token)).status).toBe(401)
  expect((await refresh(authorization.issuer, clientId, next!, server.url)).status).toBe(400)
  expect(authorization.count('token refresh_token')).toBe(3)
})

test('a revoked token is refused', async () => {
  await using authorization = await startAuthorizationServer()
  await using server = await startProtectedServer({ authorization })
  const { clientId, accessToken } = await authorization.signIn({ resource: server.url })
  const body = new URLSearchParams({ token: accessToken, client_id: clientId })
  await fetch(`${authorization.issuer}/token/revocation`, { method: 'POST', body })
  expect((await post(server.url, accessToken)).status).toBe(401)
})

test('the device flow ends in a token', async () => {
  await using authorization = await startAuthorizationServer({
    clients: [
      {
        client_id: 'tv',
        token_endpoint_auth_method: 'none',
        redirect_uris: [],
        response_types: [],
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      },
    ],
  })
  await using server = await startProtectedServer({ authorization })
  const wish = { client_id: 'tv', scope: 'mcp:read', resource: server.url }
  const asked = await fetch(`${authorization.issuer}/device/auth`, {
    method: 'POST',
    body: new URLSearchParams(wish),
  })
  const { device_code: code, verification_uri_complete: page } = (await asked.json()) as Record<
    string,
    string
  >
  await authorization.approveDevice(page!)
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: 'tv',
    device_code: code!,
    resource: server.url,
  }
  const given = await fetch(`${authorization.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  })
  const { access_token: token } = (await given.json()) as Record<string, string>
  expect((await post(server.url, token)).status).toBe(200)
})

test('client credentials end in a token for one server', async () => {
  await using authorization = await startAuthorizationServer({
    clients: [
      {
        client_id: 'robot',
        client_secret: 'a-secret-of-some-length',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
  })
  await using server = await startProtectedServer({ authorization })
  const given = await fetch(`${authorization.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('robot:a-secret-of-some-length')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'mcp:read',
      resource: server.url,
    }),
  })
  const { access_token: token } = (await given.json()) as Record<string, string>
  expect((await post(server.url, token)).status).toBe(200)
})
