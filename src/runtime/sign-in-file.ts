/**
 * sign-in-file: the format of sign-ins on disk. Public fields are plain. Secrets are sealed with a key that the
 * keychain holds, or plain where there is no keychain.
 *
 * in     a file, 0600 in a folder of its own, 0700
 * out    StoredSignIns, as they were written; a file that is damaged, or that others could read, holds none and is a
 *        problem
 * never  opens a secret: that takes the key
 */
import { toCommandLine } from '../base/command-line.ts'
import { isObject } from '../base/is-object.ts'
import type { Problem } from '../model/problem.ts'
import type { OAuthClient, SignIn, SignInEnd, SignInKey, SignInSummary, Tokens } from '../model/sign-in.ts'
import { createProblem } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { StateFile } from './state-file.ts'

/** The public fields of a sign-in, and its secrets as one text. */
export interface StoredSignIn extends SignInKey {
  readonly account: string
  /** By our clock. Of two sign-ins for the same server, the later one counts. */
  readonly signedInAt: number
  readonly client: Pick<OAuthClient, 'id' | 'from' | 'method' | 'redirectUris'> & {
    readonly algorithm?: string
  }
  readonly endpoints: SignIn['endpoints']
  readonly resource?: string
  readonly grant?: SignIn['grant']
  readonly scopes: readonly string[]
  readonly type: Tokens['type']
  readonly expiresAt?: number
  readonly hasRefresh: boolean
  readonly ended?: SignInEnd
  readonly wantedScopes?: readonly string[]
  readonly secrets: { readonly sealed: string } | { readonly plain: string }
}

export function signInFile(
  world: World,
  dirs: { readonly state: string },
): StateFile<readonly StoredSignIn[]> {
  return {
    file: world.paths.join(dirs.state, 'sign-ins', 'sign-ins.json'),
    empty: [],
    parse: ({ signIns }) => (Array.isArray(signIns) && signIns.every(isStored) ? signIns : undefined),
    format: (signIns) => ({ signIns: [...signIns].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)) }),
    damaged: (file) =>
      createProblem({
        code: 'authorize/store-damaged',
        message: 'the file with your sign-ins cannot be read, so it is as if you were signed in nowhere',
        where: { file },
        hints: [
          `move it away and sign in again: \`${toCommandLine('mv', [file, `${file}.broken`], 'linux')}\``,
        ],
      }),
    unwritable: (file, why) =>
      createProblem({
        code: 'authorize/store-unwritable',
        message: 'your sign-in could not be kept',
        where: { file },
        notes: [why],
        hints: ['make sure that the folder is one, and that you may write there'],
      }),
  }
}

/** Why a file must not be used: another user could have read it, or could have written into it. */
export function findOpenness(world: World, file: string): Problem | undefined {
  const folder = world.paths.dirname(file)
  const loose = [file, folder].find((path) => ((world.files.mode(path) ?? 0) & 0o077) !== 0)
  // If there is a file at the path of the folder, nothing is kept in it.
  if (loose === undefined || (loose === folder && world.files.kind(folder) !== 'directory')) return undefined
  const mode = loose === file ? '600' : '700'
  return createProblem({
    code: 'authorize/store-open',
    message: `your sign-ins are not used, because other users of this machine can read ${loose === file ? 'the file' : 'the folder'} they are in`,
    where: { file: loose },
    notes: ['whoever has read it has your tokens: sign out of the servers in it if you are not alone here'],
    hints: [`run \`${toCommandLine('chmod', [mode, loose], 'linux')}\``],
  })
}

/** One id for each server, authorization server and credential name. */
export function idOf({ url, issuer, credentialId }: SignInKey): string {
  return JSON.stringify([url ?? null, issuer, credentialId ?? null])
}

/** The context of a sealed text: in another entry, or with another endpoint, it does not open. */
export function boundOf({ url, issuer, credentialId, client, endpoints, resource }: StoredSignIn): string {
  const { token, revocation } = endpoints
  return JSON.stringify([url, issuer, credentialId, client.id, token, revocation, resource])
}

export function toSummary(stored: StoredSignIn): SignInSummary {
  const { url, issuer, credentialId, client, scopes, expiresAt, ended, wantedScopes, account } = stored
  return {
    key: {
      ...(url === undefined ? {} : { url }),
      issuer,
      ...(credentialId === undefined ? {} : { credentialId }),
    },
    clientId: client.id,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    canRenew: ended === undefined && (stored.hasRefresh || stored.grant !== undefined),
    ...(ended === undefined ? {} : { ended }),
    ...(wantedScopes === undefined ? {} : { wantedScopes }),
    kept: 'sealed' in stored.secrets ? 'keychain' : 'file',
    account,
  }
}

function isStored(value: unknown): value is StoredSignIn {
  if (!isObject(value)) return false
  const { url, issuer, account, client, endpoints, scopes, secrets, signedInAt } = value
  const isText = (one: unknown): boolean => typeof one === 'string'
  return (
    (url === undefined || isText(url)) &&
    [issuer, account].every(isText) &&
    typeof signedInAt === 'number' &&
    isObject(client) &&
    isText(client['id']) &&
    isObject(endpoints) &&
    isText(endpoints['token']) &&
    Array.isArray(scopes) &&
    scopes.every(isText) &&
    isObject(secrets) &&
    (isText(secrets['sealed']) || isText(secrets['plain']))
  )
}
