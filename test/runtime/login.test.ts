/**
 * login: signing in at a real authorization server, in every way that needs a person.
 */
import { describe, expect, test } from 'vitest'
import { ProblemError } from '../../src/problem/problem.ts'
import type { SignIn } from '../../src/model/sign-in.ts'
import { startAuthorizationServer } from '../servers/authorization-server.ts'
import { startProtectedServer } from '../servers/protected-server.ts'
import { agreeing, openLoginStage } from './login-stage.ts'

async function problemOf(work: Promise<unknown>): Promise<ProblemError['problem']> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError)) throw error ?? new Error('it did not fail')
  return error.problem
}

function shown({ tokens, ...rest }: SignIn): object {
  const { expiresAt, ...others } = tokens
  return { ...rest, tokens: { ...others, hasTime: expiresAt !== undefined } }
}

describe('a browser', () => {
  test('discovery, registration with the real port, PKCE, resource, exchange, and a token that is good', async () => {
    await using authorization = await startAuthorizationServer()
    await using server = await startProtectedServer({ authorization })
    using stage = openLoginStage({ browse: agreeing(authorization.approve) })
    const outcome = await stage.login({ type: 'http', url: server.url })

    const [port] = stage.ports.ever
    const redirectUri = `http://127.0.0.1:${port}/callback`
    expect(stage.steps.map(({ kind }) => kind)).toEqual([
      'asking-server',
      'registering',
      'page',
      'browser',
      'exchanging',
    ])
    expect(outcome.kind).toBe('signed-in')
    expect(stage.saved.map(shown)).toEqual([
      {
        key: { url: server.url, issuer: authorization.issuer },
        client: {
          id: expect.any(String) as string,
          from: 'registered',
          method: 'none',
          redirectUris: [redirectUri],
        },
        endpoints: {
          token: `${authorization.issuer}/token`,
          revocation: `${authorization.issuer}/token/revocation`,
        },
        resource: server.url,
        tokens: {
          access: expect.anything() as object,
          refresh: expect.anything() as object,
          type: 'bearer',
          scopes: expect.arrayContaining(['mcp:read']) as string[],
          hasTime: true,
        },
      },
    ])
    expect(await authorization.check(stage.saved[0]!.tokens.access.reveal())).toMatchObject({
      audience: server.url,
    })
    const page = new URL(stage.pages[0]!)
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'mcp:read offline_access',
    })
    // The port is bound before the registration names it, and free when all is over.
    expect(
      authorization.requests.find(({ what }) => what === 'registration')?.params['redirect_uris'],
    ).toEqual([redirectUri])
    expect(stage.ports.now).toBe(0)
  })
})

test('problems', async () => {
  using stage = openLoginStage()
  expect(await problemOf(stage.login({ command: 'x' }))).toMatchObject({ code: 'authorize/no-oauth' })
})
