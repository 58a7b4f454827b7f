/**
 * signed-in: a board whose user has signed in to a protected server before, as a login would have left it.
 */
import { join } from 'node:path'
import { Secret } from '../../src/base/secret.ts'
import type { SignIn } from '../../src/model/sign-in.ts'
import { openSignInStore, type OpenSignInStore } from '../../src/runtime/sign-in-store.ts'
import {
  startAuthorizationServer,
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type GivenSignIn,
} from '../servers/authorization-server.ts'
import { startProtectedServer, type ProtectedServer } from '../servers/protected-server.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

export interface SignedIn extends AsyncDisposable {
  readonly authorization: AuthorizationServer
  readonly server: ProtectedServer
  readonly scratch: Scratch
  readonly store: OpenSignInStore
  /** What the user was given. */
  readonly given: GivenSignIn
  /** One more, at the same server. */
  signIn(scopes?: readonly string[]): Promise<SignIn>
}

export interface SignedInOptions extends AuthorizationServerOptions {
  readonly scopes?: readonly string[]
  /** Milliseconds from now until our clock says that it is over. Default: as its giver said. */
  readonly endsInMs?: number
  readonly scratch?: Scratch
}

export async function openSignedIn(options: SignedInOptions = {}): Promise<SignedIn> {
  const { scopes = ['mcp:read'], endsInMs, scratch = createScratch() } = options
  const authorization = await startAuthorizationServer(options)
  const server = await startProtectedServer({ authorization })
  const store = openSignInStore(scratch.world, stateOf(scratch))
  const given = await authorization.signIn({ resource: server.url, scopes })
  const now = scratch.world.clock.now()
  await store.save(
    toSignIn(given, { authorization, server, expiresAt: now + (endsInMs ?? given.expiresInSeconds * 1000) }),
  )
  return {
    authorization,
    server,
    scratch,
    store,
    given,
    async signIn(wanted = scopes) {
      const more = await authorization.signIn({ resource: server.url, scopes: wanted })
      return toSignIn(more, { authorization, server, expiresAt: now + 3_600_000 })
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await authorization[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

/** Where a board in this scratch keeps its state. */
export function stateOf({ home }: Scratch): { readonly state: string } {
  return { state: join(home, '.local', 'state', 'plugboard') }
}

function toSignIn(
  given: GivenSignIn,
  {
    authorization: { issuer },
    server,
    expiresAt,
  }: {
    readonly authorization: AuthorizationServer
    readonly server: ProtectedServer
    readonly expiresAt: number
  },
): SignIn {
  return {
    key: { url: server.url, issuer },
    client: { id: given.clientId, from: 'registered', method: 'none', redirectUris: [given.redirectUri] },
    tokens: {
      access: new Secret(given.accessToken),
      refresh: new Secret(given.refreshToken),
      type: 'bearer',
      expiresAt,
      scopes: given.scopes,
    },
    endpoints: { token: `${issuer}/token`, revocation: `${issuer}/token/revocation` },
    resource: server.url,
  }
}
