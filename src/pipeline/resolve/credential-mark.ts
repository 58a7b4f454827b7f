/**
 * credential-mark: finds out whether two launches of one definition use the same account, as far as Plugboard can know.
 *
 * in     a server, and the look-up of its values, which may be slow
 * out    a hash, which shows a change but not a value. Synchronous, unless it must find a token whose account is
 *        unknown
 * never  depends on the output of a command, which is a new token every hour: the hash covers the command itself
 */
import { Secret } from '../../base/secret.ts'
import { sha256 } from '../../base/sha256.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import { reveal, type CredentialSource, type LaunchSpec } from '../../model/launch.ts'
import type { Shell } from '../../world/world.ts'
import { resolve, type ResolveContext } from './resolve.ts'
import { createValueCache } from './value-cache.ts'
import { isCommand } from './values.ts'

export async function credentialMarkOf(
  server: AdmittedServer,
  context: ResolveContext,
  launching: Promise<LaunchSpec>,
): Promise<string> {
  const isFixed = !runsCommands(server) && !hasNames(server, context.credentials)
  return markOf(await (isFixed ? launching : resolve(server, withSources(context))))
}

/** Whether the launch may contain a token that changes, and the account can replace it in the hash. */
function hasNames({ transport, auth }: AdmittedServer, credentials: CredentialSource | undefined): boolean {
  if (credentials?.account === undefined) return false
  // If tokens are not part of the launch, the launch names the account.
  const isBeside =
    credentials.authorize !== undefined && transport.type !== 'ws' && transport.type !== 'stdio'
  return isBeside ? false : auth !== undefined || transport.type !== 'stdio'
}

function runsCommands({ transport, values }: AdmittedServer): boolean {
  if ('headersHelper' in transport && transport.headersHelper !== undefined) return true
  const map = 'env' in transport ? transport.env : 'headers' in transport ? transport.headers : undefined
  return values === 'resolvable' && map !== undefined && [...map.values()].some(isCommand)
}

/** Replaces each value that changes by itself with its source. */
function withSources(context: ResolveContext): ResolveContext {
  const { world, credentials } = context
  return {
    ...context,
    world: { ...world, shell: NAMES_COMMANDS },
    cache: createValueCache(),
    credentials: credentials?.account === undefined ? credentials : namingAccounts(credentials),
  }
}

/** Stands for the output of a command: a value, or headers for a helper. */
const NAMES_COMMANDS: Shell = {
  async run(command, { cwd, env }) {
    const source = sha256(JSON.stringify([command, cwd, env]))
    return { stdout: JSON.stringify({ source }), stderr: '', exitCode: 0, timedOut: false }
  },
}

function namingAccounts(source: CredentialSource): CredentialSource {
  return {
    async find(request) {
      const account = source.account!(request)
      return account === undefined ? undefined : new Secret(account)
    },
  }
}

function markOf({ transport, secrets }: LaunchSpec): string {
  const headers = 'headers' in transport ? [...transport.headers] : []
  const shown = headers.map(([name, value]) => `${name.toLowerCase()}: ${reveal(value)}`)
  const account = 'authorization' in transport ? transport.authorization?.account : undefined
  const texts = [
    ...shown.sort(),
    ...secrets.map((secret) => secret.reveal()).sort(),
    ...(account === undefined ? [] : [`account ${account}`]),
  ]
  return texts.length === 0 ? NOBODY : toMark(texts)
}

function toMark(texts: readonly string[]): string {
  return sha256(JSON.stringify(texts)).slice(0, 16)
}

/** The mark of a launch without any credential, like that of most local servers. */
const NOBODY = toMark([])
