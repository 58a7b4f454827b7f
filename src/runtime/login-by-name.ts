/**
 * login-by-name: `login`, for hosts that know a server by its name.
 *
 * in     the loaded catalog, and a name in it
 * out    as `login`
 */
import type { AdmittedServer } from '../model/catalog.ts'
import { createValueCache } from '../pipeline/resolve/value-cache.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { notConnectable, unknownServer } from './board-problems.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import type { LoginHost, LoginArguments, SignedIn } from './login-host.ts'
import { login, type LoginOutcome } from './login.ts'
import { openServerLog } from './server-logs.ts'
import { openSignInStore } from './sign-in-store.ts'

export interface NamedLogin extends LoginArguments {
  readonly name: string
}

export function toSignedIn(outcome: LoginOutcome): SignedIn {
  if (outcome.kind === 'not-needed') return outcome
  const { key, tokens } = outcome.signIn
  const { scopes, expiresAt } = tokens
  return { kind: 'signed-in', issuer: key.issuer, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) }
}

/** Throws `connect/unknown-server`, `connect/not-chosen`, and what `login` throws. */
export async function loginByName(
  world: World,
  loaded: LoadedCatalog,
  { request, host }: { readonly request: NamedLogin; readonly host: LoginHost },
): Promise<LoginOutcome> {
  const { name } = request
  const { dirs, project } = loaded
  const server = requireServer(loaded, name)
  const log = openServerLog(world, dirs, name)
  try {
    const resolving = { world, project, cache: createValueCache() }
    return await login(
      { ...request, server, world, resolving, store: openSignInStore(world, dirs), log },
      host,
    )
  } finally {
    log.close()
  }
}

/** Throws `connect/unknown-server`, `connect/not-chosen`. */
export function requireServer(loaded: LoadedCatalog, name: string): AdmittedServer {
  const server = loaded.catalog.servers.find((one) => one.name === name)
  if (server === undefined) throw new ProblemError(whyNot(loaded, name))
  return server
}

function whyNot({ catalog }: LoadedCatalog, name: string): ProblemError['problem'] {
  const entry = catalog.entries.find(({ entry }) => entry.found.name === name)
  if (entry !== undefined) return notConnectable(entry, 'command')
  return unknownServer(
    name,
    catalog.entries.map(({ entry: { found } }) => found.name),
  )
}
