/**
 * sign-in-store: all sign-ins of this user. The only module that keeps tokens.
 *
 * in     sign-ins from a login, a seed or a renewal
 * out    the sign-in for a server, by its exact address and perhaps a name; the public fields of all
 * never  gives a token for another address than it was issued for; uses a file that others can read; writes a secret
 *        plainly where a keychain works
 */
import { sha256 } from '../base/sha256.ts'
import type { Problem } from '../model/problem.ts'
import {
  toKeyUrl,
  type Kept,
  type SignIn,
  type SignInKey,
  type SignInStore,
  type SignInSummary,
  type SignInQuery,
} from '../model/sign-in.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import { UpdateError, type Obstacle, type World } from '../world/world.ts'
import { createKeychainKey, type KeychainKey } from './keychain-key.ts'
import { boundOf, findOpenness, idOf, signInFile, toSummary, type StoredSignIn } from './sign-in-file.ts'
import { readState, rereadState, updateState, type ReadState, type StateFile } from './state-file.ts'
import { parseSignIn, toPublic, secretText, toOwnKey } from './stored-sign-in.ts'

export function openSignInStore(world: World, dirs: { readonly state: string }): OpenSignInStore {
  return new OpenSignInStore(world, dirs)
}

export interface Summaries {
  readonly signIns: readonly SignInSummary[]
  /** Why the result may be incomplete. */
  readonly problem?: Problem
}

/** Decides what a renewal makes of a sign-in. Undefined leaves it as it is. */
export type Renew = (now: SignIn | undefined) => Promise<SignIn | undefined>

/** Returns a new sign-in; undefined when the stored one is good enough. */
export type Obtain = (now: Kept | undefined) => Promise<SignIn | undefined>

export class OpenSignInStore implements SignInStore {
  readonly #world: World
  readonly #state: StateFile<readonly StoredSignIn[]>
  readonly #key: KeychainKey
  #read: ReadState<readonly StoredSignIn[]> | undefined

  constructor(world: World, dirs: { readonly state: string }) {
    this.#world = world
    this.#state = signInFile(world, dirs)
    this.#key = createKeychainKey(world, world.paths.dirname(this.#state.file))
  }

  /** Throws `authorize/store-damaged`, `authorize/store-open`, `authorize/keychain-locked`. */
  async find(wish: SignInQuery): Promise<SignIn | undefined> {
    return (await this.findKept(wish))?.signIn
  }

  /** As `find`. */
  async findKept(wish: SignInQuery): Promise<Kept | undefined> {
    const stored = this.#pick(this.#readOrThrow(), wish)
    return stored === undefined ? undefined : toKept(await this.#open(stored), stored)
  }

  /** By the whole key. Throws as `find`. */
  async findExactly(key: SignInKey): Promise<SignIn | undefined> {
    const id = idOf(toOwnKey(key))
    const stored = this.#readOrThrow().find((one) => idOf(one) === id)
    return stored === undefined ? undefined : this.#open(stored)
  }

  /**
   * The public fields of the sign-in that `find` would return. Synchronous, and without the keychain. Throws as `find`.
   */
  look(wish: SignInQuery): SignInSummary | undefined {
    const stored = this.#pick(this.#readOrThrow(), wish)
    return stored === undefined ? undefined : toSummary(stored)
  }

  /** Of the stored sign-in. Undefined when there is none, or when the file cannot be used. */
  markOf(wish: SignInQuery): string | undefined {
    const stored = this.#pick(this.#reread().value, wish)
    return stored === undefined ? undefined : markOf(stored)
  }

  all(): Summaries {
    const { value, problem } = this.#reread()
    return { signIns: value.map(toSummary), ...(problem === undefined ? {} : { problem }) }
  }

  /** Checks the folder before a sign-in begins. Throws `authorize/store-unwritable`. */
  requireFolder(): void {
    const obstacle = this.#findObstacle()
    if (obstacle === undefined) return
    throw new ProblemError(this.#state.unwritable(this.#state.file, new UpdateError(obstacle).message))
  }

  /** Stores the result of a login. Throws `authorize/store-…`. */
  async save(signIn: SignIn): Promise<Kept> {
    // Before the keychain is asked, because its verdict is kept in the same folder.
    this.requireFolder()
    const { keys, clock } = this.#world
    const stored = await this.#seal(signIn, { account: keys.random(9), signedInAt: clock.now() })
    const id = idOf(stored)
    await this.#update((all) => [...all.filter((one) => idOf(one) !== id), stored])
    return toKept(signIn, stored)
  }

  async forget(key: SignInKey): Promise<void> {
    const id = idOf(toOwnKey(key))
    await this.#update((all) => all.filter((one) => idOf(one) !== id))
  }

  /**
   * Runs one renewal of this sign-in at a time, in all processes. The step gets what is stored by then, which another
   * process may have just renewed. Returns what is stored in the end.
   */
  async renewing(key: SignInKey, step: Renew): Promise<Kept | undefined> {
    const id = idOf(toOwnKey(key))
    return this.#alone(`renewal-${id}`, async () => {
      const stored = this.#readOrThrow().find((one) => idOf(one) === id)
      const now = stored === undefined ? undefined : await this.#open(stored)
      const next = await step(now)
      if (stored === undefined) return undefined
      if (next === undefined) return toKept(now!, stored)
      const renewed = await this.#seal(next, stored)
      // A user who signed in or out meanwhile has the last word.
      const isSame = (one: StoredSignIn): boolean => idOf(one) === id && one.account === stored.account
      await this.#update((all) => all.map((one) => (isSame(one) ? renewed : one)))
      return toKept(next, renewed)
    })
  }

  /**
   * Obtains one new sign-in at a time, in all processes, where no user has to agree. The step gets what is stored by
   * then, which another process may have just obtained. Returns what is stored in the end. Throws what the step throws,
   * and `authorize/store-…` when the new sign-in cannot be kept.
   */
  async obtaining(wish: SignInQuery, step: Obtain): Promise<Kept | undefined> {
    const { url, credentialId } = wish
    const obtain = async (): Promise<Kept | undefined> => {
      const kept = await this.findKept(wish)
      const given = await step(kept)
      return given === undefined ? kept : this.save(given)
    }
    // Where nothing can be kept, no other process can have stored a sign-in to wait for.
    if (this.#findObstacle() !== undefined) return obtain()
    return this.#alone(`sign-in-${JSON.stringify([url ?? null, credentialId ?? null])}`, obtain)
  }

  #findObstacle(): Obstacle | undefined {
    return this.#world.files.findObstacle(this.#world.paths.dirname(this.#state.file))
  }

  #alone<T>(what: string, step: () => Promise<T>): Promise<T> {
    const { paths, files } = this.#world
    const folder = paths.dirname(this.#state.file)
    return files.locked(paths.join(folder, `lock-${sha256(what).slice(0, 16)}`), step)
  }

  /** A later sign-in for the same server counts, also one at another authorization server. */
  #pick(all: readonly StoredSignIn[], { url, credentialId }: SignInQuery): StoredSignIn | undefined {
    const wanted = url === undefined ? undefined : toKeyUrl(url)
    // A text that is no address matches no token, rather than any token.
    if (url !== undefined && wanted === undefined) return undefined
    const here = all.filter((one) => one.url === wanted)
    const named = credentialId === undefined ? [] : here.filter((one) => one.credentialId === credentialId)
    const general = url === undefined ? [] : here.filter((one) => one.credentialId === undefined)
    return latest(named) ?? latest(general)
  }

  async #open(stored: StoredSignIn): Promise<SignIn> {
    const { secrets } = stored
    const text =
      'plain' in secrets
        ? secrets.plain
        : this.#world.sealer.open(secrets.sealed, await this.#key.toOpen(), boundOf(stored))
    const signIn = text === undefined ? undefined : parseSignIn(stored, text)
    if (signIn === undefined) throw new ProblemError(unopened(stored, this.#state.file))
    return signIn
  }

  async #seal(
    signIn: SignIn,
    { account, signedInAt }: Pick<StoredSignIn, 'account' | 'signedInAt'>,
  ): Promise<StoredSignIn> {
    const plain = secretText(signIn)
    const stored = { ...toPublic(signIn), account, signedInAt, secrets: { plain } }
    const key = await this.#key.toSeal()
    if (key === undefined) return stored
    return { ...stored, secrets: { sealed: this.#world.sealer.seal(plain, key, boundOf(stored)) } }
  }

  #reread(): ReadState<readonly StoredSignIn[]> {
    const problem = findOpenness(this.#world, this.#state.file)
    if (problem !== undefined) return { value: [], problem, text: undefined }
    const { problem: before } = this.#read ?? {}
    this.#read =
      this.#read === undefined || before !== undefined
        ? readState(this.#world, this.#state)
        : rereadState(this.#world, this.#state, this.#read)
    return this.#read
  }

  #readOrThrow(): readonly StoredSignIn[] {
    const { value, problem } = this.#reread()
    if (problem !== undefined) throw new ProblemError(problem)
    return value
  }

  async #update(change: (all: readonly StoredSignIn[]) => readonly StoredSignIn[]): Promise<void> {
    const problem = findOpenness(this.#world, this.#state.file)
    if (problem !== undefined) throw new ProblemError(problem)
    await updateState(this.#world, this.#state, change)
  }
}

function toKept(signIn: SignIn, stored: StoredSignIn): Kept {
  return { signIn, account: stored.account, mark: markOf(stored) }
}

/** Changes with each new token of the same sign-in. */
function markOf(stored: StoredSignIn): string {
  return sha256(JSON.stringify(stored)).slice(0, 16)
}

function latest(signIns: readonly StoredSignIn[]): StoredSignIn | undefined {
  return [...signIns].sort((a, b) => b.signedInAt - a.signedInAt)[0]
}

function unopened({ issuer }: StoredSignIn, file: string): Problem {
  return createProblem({
    code: 'authorize/sealed',
    message: 'a saved sign-in cannot be opened with the key that is in your keychain',
    where: { file },
    notes: [`it is one of ${issuer}`, 'the keychain was replaced since, or the file was changed by hand'],
    hints: ['sign in again: `plugboard login <server>`'],
  })
}
