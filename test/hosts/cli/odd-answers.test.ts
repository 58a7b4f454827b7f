/**
 * odd-answers: authorization servers, identity providers and issuers that answer with something else than they should, or
 * with all that is needed in another shape; and what a person is told.
 */
import type { ServerResponse } from 'node:http'
import { expect, describe, test } from 'vitest'
import { pasteLogin } from '../../processes/paste-login.ts'
import { openMachine, type Machine, type Ran } from '../../processes/plugboard.ts'
import { serve } from '../../servers/http/loopback.ts'
import { startAuthorizationServer, type AuthorizationServer } from '../../servers/authorization-server.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'

interface Stage extends AsyncDisposable {
  readonly authorization: AuthorizationServer
  readonly machine: Machine
  /** What the authorization server says of itself. */
  readonly metadata: Metadata
}

type Metadata = Readonly<Record<string, unknown>>

const OAUTH = '/.well-known/oauth-authorization-server'
const OIDC = '/.well-known/openid-configuration'

/** `oauth` of the entry, where `<issuer>` stands for the authorization server. */
async function openStage(oauth: object = {}): Promise<Stage> {
  const authorization = await startAuthorizationServer()
  const server = await startProtectedServer({ authorization })
  const filled = JSON.parse(JSON.stringify(oauth).replaceAll('<issuer>', authorization.issuer)) as object
  const machine = openMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: { guarded: { type: 'http', url: server.url, oauth: filled } },
    },
  })
  const metadata = (await (await fetch(`${authorization.issuer}${OIDC}`)).json()) as Metadata
  return {
    authorization,
    machine,
    metadata,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
      machine[Symbol.dispose]()
    },
  }
}

interface Odd {
  readonly at: string
  readonly status?: number
  readonly type?: string
  readonly body: string
}

/** In place of the usual answers. */
function answerWith({ authorization }: Stage, ...answers: readonly Odd[]): void {
  authorization.answer = (request, response) => {
    const found = answers.find(({ at }) => at === request.url)
    if (found === undefined) return false
    request.resume()
    send(response, found)
    return true
  }
}

function send(response: ServerResponse, { status = 200, type = 'application/json', body }: Odd): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}

function without(metadata: Metadata, ...fields: readonly string[]): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !fields.includes(field)))
}

/** Signs in as a user who agrees to everything. */
function signIn({ machine, authorization }: Stage): Promise<Ran> {
  return pasteLogin(machine, {
    args: ['guarded'],
    paste: async (page) => [(await authorization.approve(page)).href],
  })
}

/** The error alone, without the steps before it. */
function errorOf({ stderr }: Ran): string {
  return stderr.slice(Math.max(0, stderr.indexOf('error: '))).trim()
}

const FAILED = 'error: OAuth authentication failed: '
const NOT_AS_SPECIFIED = `${FAILED}the authorization server gave an answer that is not what the specification asks for`

describe('an authorization server that describes itself for OpenID Connect alone', () => {
  /** As identity providers have it that leave out what only an ID token needs. */
  async function openOidcStage(): Promise<Stage> {
    const stage = await openStage()
    const document = without(
      stage.metadata,
      'jwks_uri',
      'subject_types_supported',
      'id_token_signing_alg_values_supported',
    )
    answerWith(stage, { at: OAUTH, status: 404, body: '' }, { at: OIDC, body: JSON.stringify(document) })
    return stage
  }

  test('signs in, and takes the tokens back', async () => {
    await using stage = await openOidcStage()
    expect(await signIn(stage)).toMatchObject({
      code: 0,
      stdout: 'signed in to `guarded` (scopes: mcp:read); it has 2 tools\n',
    })
    expect(await stage.machine.run(['logout', 'guarded'])).toMatchObject({ code: 0 })
    expect(stage.authorization.count('revocation')).toBeGreaterThan(0)
  })

  test('signs in by a code that is typed in on another device', async () => {
    await using stage = await openOidcStage()
    const { authorization, machine } = stage
    const ran = await pasteLogin(machine, {
      way: '--device',
      args: ['guarded'],
      async paste(page) {
        await authorization.approveDevice(page)
        return []
      },
    })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('signed in') as string })
  })
})

describe('what an authorization server says of itself', () => {
  const asked = (at: string) => (stage: Stage) => `  asked ${stage.authorization.issuer}${at}`

  test.each<[string, (metadata: Metadata) => unknown, readonly string[]]>([
    [
      'lacks an endpoint',
      (usual) => without(usual, 'token_endpoint'),
      ['`token_endpoint` is missing, or is not a string'],
    ],
    [
      'has fields of another shape',
      (usual) => ({ ...usual, authorization_endpoint: 'sign in here', scopes_supported: 'mcp:read' }),
      [
        '`authorization_endpoint` is not an address that can be used',
        '`scopes_supported` is missing, or is not a list',
      ],
    ],
    [
      'lacks everything',
      () => ({}),
      [
        '`issuer` is missing, or is not a string',
        '`authorization_endpoint` is missing, or is not a string',
        '`token_endpoint` is missing, or is not a string',
        '`response_types_supported` is missing, or is not a list',
      ],
    ],
    ['is nothing', () => null, ['it is not an object']],
    ['is a list', () => [1], ['it is not an object']],
  ])('%s: each field is named', async (_, change, faults) => {
    await using stage = await openStage()
    const body = JSON.stringify(change(stage.metadata))
    const missing = { at: OAUTH, status: 404, body: '' }
    for (const at of [OAUTH, OIDC]) {
      answerWith(stage, ...(at === OIDC ? [missing] : []), { at, body })
      const ran = await stage.machine.run(['login', 'guarded', '--no-browser'])
      expect([ran.code, errorOf(ran).split('\n')]).toEqual([
        1,
        [NOT_AS_SPECIFIED, asked(at)(stage), ...faults.map((fault) => `  ${fault}`)],
      ])
    }
  })

  test.each<[string, Odd, readonly string[]]>([
    ['breaks off', { at: OAUTH, body: '{"issuer":' }, [NOT_AS_SPECIFIED, '  it is empty, or it is not JSON']],
    ['is a failure', { at: OAUTH, status: 503, body: 'down' }, ['answered with HTTP 503']],
  ])('%s', async (_, odd, lines) => {
    await using stage = await openStage()
    answerWith(stage, odd)
    const said = errorOf(await stage.machine.run(['login', 'guarded', '--no-browser']))
    for (const line of [...lines, asked(OAUTH)(stage)]) expect(said).toContain(line)
  })

  test('does not offer the grant of a browser', async () => {
    await using stage = await openStage()
    const document = { ...stage.metadata, response_types_supported: ['token'] }
    answerWith(stage, { at: OAUTH, body: JSON.stringify(document) })
    expect(errorOf(await stage.machine.run(['login', 'guarded', '--no-browser']))).toBe(
      `${FAILED}its authorization server does not offer sign-in in a browser\n  its \`response_types_supported\` does not have \`code\``,
    )
  })
})

describe('a client that is registered', () => {
  test.each([
    ['{}', ['`redirect_uris` is missing, or is not a list', '`client_id` is missing, or is not a string']],
    [
      '{"client_id":"c","redirect_uris":[],"client_secret":null}',
      ['`client_secret` is missing, or is not a string'],
    ],
    ['null', ['it is not an object']],
    ['{"client_id":', ['it is empty, or it is not JSON']],
    ['', ['it is empty, or it is not JSON']],
  ])('as %j', async (body, faults) => {
    await using stage = await openStage()
    answerWith(stage, { at: '/reg', status: 201, body })
    const ran = await stage.machine.run(['login', 'guarded', '--no-browser'])
    expect([ran.code, errorOf(ran).split('\n')]).toEqual([
      1,
      [NOT_AS_SPECIFIED, `  asked ${stage.authorization.issuer}/reg`, ...faults.map((fault) => `  ${fault}`)],
    ])
  })
})

describe('tokens', () => {
  test.each<[string, Omit<Odd, 'at'>, readonly string[]]>([
    [
      'of no kind',
      { body: '{}' },
      [
        NOT_AS_SPECIFIED,
        '  `access_token` is missing, or is not a string',
        '  `token_type` is missing, or is not a string',
      ],
    ],
    [
      'that break off',
      { body: '{"access_token":"a' },
      [NOT_AS_SPECIFIED, '  it is empty, or it is not JSON'],
    ],
    ['that are a page', { status: 400, type: 'text/html', body: '<html>' }, ['answered with HTTP 400']],
    ['that are another error', { status: 400, body: '{"message":"no"}' }, ['answered with HTTP 400']],
    [
      'that are nothing',
      { status: 500, body: '' },
      ['answered with HTTP 500', '  the answer does not say why'],
    ],
    [
      'that are refused without a word',
      { status: 400, body: '{"error":"invalid_grant","error_description":null}' },
      [`${FAILED}invalid_grant`],
    ],
    [
      'that are refused as if they were given',
      { body: '{"error":"bad_code","error_description":null}' },
      [`${FAILED}the authorization server refused`, '  it calls it "bad_code"'],
    ],
  ])('%s', async (_, odd, lines) => {
    await using stage = await openStage()
    answerWith(stage, { at: '/token', ...odd })
    const ran = await signIn(stage)
    const said = errorOf(ran)
    expect(ran.code).toBe(1)
    for (const line of lines) expect(said).toContain(line)
    expect(said).not.toMatch(/invalid_type|Raw body|SyntaxError|<html>/)
  })
})

describe('a code for another device', () => {
  test.each([
    [{ body: 'null' }, 'its authorization server gave no code to type in'],
    [{ body: '{"device_code":"d"}' }, 'its authorization server gave no code to type in'],
    [
      { body: '{"device' },
      'the authorization server gave an answer that is not what the specification asks for',
    ],
    [{ status: 400, type: 'text/html', body: '<html>' }, 'answered with HTTP 400'],
    [{ status: 400, body: '{"error":"invalid_client","error_description":null}' }, 'invalid_client'],
  ])('%j', async (odd, message) => {
    await using stage = await openStage()
    answerWith(stage, { at: '/device/auth', ...odd })
    const ran = await stage.machine.run(['login', 'guarded', '--device'])
    expect([ran.code, errorOf(ran)]).toEqual([1, expect.stringContaining(message)])
    expect(errorOf(ran)).not.toMatch(/destructure|SyntaxError|<html>/)
  })
})

describe('an identity provider', () => {
  const ENTERPRISE = {
    grantType: 'enterprise_managed',
    clientId: 'm',
    idpClientId: 'i',
    idToken: 'an-id-token-of-its-user',
    idpTokenUrl: '<issuer>/idp',
  }
  const NO_GRANT = `${FAILED}the identity provider gave no grant for this server`

  test.each<[Omit<Odd, 'at'>, readonly string[]]>([
    [
      { body: '{}' },
      [
        NO_GRANT,
        '  asked <issuer>/idp',
        '  `issued_token_type` is not `urn:ietf:params:oauth:token-type:id-jag`',
        '  `access_token` is missing, or is not a string',
      ],
    ],
    [
      { status: 400, body: '{"error":"invalid_grant","error_description":"it is over"}' },
      [`${NO_GRANT}: invalid_grant`, '  it said: "it is over"'],
    ],
    [{ status: 400, body: '{"message":"no"}' }, ['answered with HTTP 400', '  asked <issuer>/idp']],
  ])('that answers %j', async (odd, lines) => {
    await using stage = await openStage(ENTERPRISE)
    answerWith(stage, { at: '/idp', ...odd })
    const ran = await stage.machine.run(['login', 'guarded'])
    const said = errorOf(ran).replaceAll(stage.authorization.issuer, '<issuer>')
    expect(ran.code).toBe(1)
    for (const line of lines) expect(said).toContain(line)
  })

  test('that does not describe itself', async () => {
    const { idpTokenUrl: _, ...rest } = ENTERPRISE
    await using stage = await openStage({ ...rest, idpIssuer: '<issuer>/nowhere' })
    const said = errorOf(await stage.machine.run(['login', 'guarded']))
    expect(said).toContain(`${FAILED}the identity provider does not say where it gives tokens`)
    expect(said).toContain(`  looked at ${stage.authorization.issuer}/nowhere${OIDC}`)
  })
})

describe('an entry', () => {
  test.each([
    ['authServerMetadataUrl', {}],
    ['authorizationUrl', {}],
    ['tokenUrl', {}],
    ['issuer', {}],
    ['resource', {}],
    ['clientMetadataUrl', {}],
    ['idpIssuer', { grantType: 'enterprise_managed', clientId: 'm', idpClientId: 'i', idToken: 't' }],
  ])('with a `%s` that is no address is to blame, and not an authorization server', async (field, more) => {
    await using stage = await openStage({ ...more, [field]: 'login.example.com' })
    expect(errorOf(await stage.machine.run(['login', 'guarded', '--no-browser']))).toContain(
      `${FAILED}the \`${field}\` of its entry is not an address`,
    )
    expect(stage.authorization.requests.map(({ what }) => what)).toEqual(['metadata'])
  })

  test.each([
    ['ES256', { privateKey: 'no key at all' }],
    ['XX256', { privateKey: 'no key at all', signingAlgorithm: 'XX256' }],
  ])('with a key that cannot sign with %s is to blame, too', async (algorithm, more) => {
    await using stage = await openStage({ grantType: 'client_credentials', clientId: 'm', ...more })
    expect(errorOf(await stage.machine.run(['login', 'guarded']))).toContain(
      `${FAILED}the private key of its entry cannot be used to sign with ${algorithm}`,
    )
  })
})

describe('an issuer whose tokens a gateway takes', () => {
  test.each([
    ['a page', 'text/html', '<!doctype html>'],
    ['half of a document', 'application/json', '{"issuer":'],
  ])('that answers with %s', async (_, type, body) => {
    await using issuer = await serve(({ response }) => send(response, { at: '', type, body }))
    using machine = openMachine()
    const { code, stderr } = await machine.run(['serve', '--http', '0', '--auth-issuer', issuer.origin])
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`${issuer.origin}${OIDC}: the answer is not JSON`),
    ])
  })

  test('that cannot be reached', async () => {
    const issuer = await serve(() => undefined)
    await issuer[Symbol.asyncDispose]()
    using machine = openMachine()
    const { stderr } = await machine.run(['serve', '--http', '0', '--auth-issuer', issuer.origin])
    expect(stderr).toContain(`nobody answers at \`${new URL(issuer.origin).host}\` (connection refused)`)
    expect(stderr).not.toContain('ECONNREFUSED')
  })
})
