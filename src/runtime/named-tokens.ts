/**
 * named-tokens: the tokens that clients of the gateway may use besides its own. Each has a name, and may be for one
 * project.
 *
 * in     a file in the user's own state folder, which holds hashes
 * out    a token, once, when it is made; the named token for a token that a client shows, by the file as it is now
 * never  stores a token itself; reveals by its timing how close a wrong token was
 */
import { isObject } from '../base/is-object.ts'
import { isSameSecret } from '../base/same-secret.ts'
import { sha256 } from '../base/sha256.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { readState, rereadState, updateState, type ReadState, type StateFile } from './state-file.ts'

export interface NamedToken {
  readonly name: string
  /** The token has 256 random bits, so its hash needs no salt. */
  readonly hash: string
  /** An absolute path. Undefined: the token is for what its user has in every project. */
  readonly project?: string
  readonly at: string
}

type TokenDirs = Pick<OurDirs, 'state'>

export interface NewToken {
  readonly name: string
  readonly project?: string | undefined
}

/** Rejects with `token/bad-name`, `token/exists`, `token/damaged`, `token/unwritable`. */
export async function addToken(
  world: World,
  dirs: TokenDirs,
  { name, project }: NewToken,
): Promise<{ readonly token: string; readonly added: NamedToken }> {
  if (!/^[\w.-]{1,64}$/.test(name)) throw new ProblemError(badName(name))
  const token = `plugboard_${world.keys.random(32)}`
  const at = new Date(world.clock.now()).toISOString()
  const added = { name, hash: sha256(token), ...(project === undefined ? {} : { project }), at }
  await updateState(world, tokensFile(world, dirs), (tokens) => {
    if (tokens.some((one) => one.name === name)) throw new ProblemError(exists(name))
    return [...tokens, added]
  })
  return { token, added }
}

export function readTokens(world: World, dirs: TokenDirs): ReadState<readonly NamedToken[]> {
  return readState(world, tokensFile(world, dirs))
}

/** Rejects with `token/unknown`, `token/damaged`, `token/unwritable`. */
export async function removeTokens(
  world: World,
  dirs: TokenDirs,
  names: readonly string[],
): Promise<readonly NamedToken[]> {
  let removed: readonly NamedToken[] = []
  await updateState(world, tokensFile(world, dirs), (tokens) => {
    const missing = names.find((name) => !tokens.some((one) => one.name === name))
    if (missing !== undefined) throw new ProblemError(unknown(missing))
    removed = tokens.filter(({ name }) => names.includes(name))
    return tokens.filter(({ name }) => !names.includes(name))
  })
  return removed
}

/** The file is watched. After this time it is read again even when the watch reports nothing. */
const LOOK_MS = 1000

/** The tokens of a running gateway. */
export class NamedTokens {
  readonly #world: World
  readonly #file: StateFile<readonly NamedToken[]>
  #read: ReadState<readonly NamedToken[]>
  #readAt: number
  #stop: (() => void) | undefined
  readonly #onRemoved = new Set<(removed: NamedToken, left: readonly NamedToken[]) => void>()

  static async open(world: World, dirs: TokenDirs): Promise<NamedTokens> {
    const tokens = new NamedTokens(world, dirs)
    const { file } = tokens.#file
    tokens.#stop = await world.files.watch({ files: [file], folders: [] }, () => tokens.#look())
    return tokens
  }

  private constructor(world: World, dirs: TokenDirs) {
    this.#world = world
    this.#file = tokensFile(world, dirs)
    this.#read = readState(world, this.#file)
    this.#readAt = world.clock.now()
  }

  /** Searches the tokens that are known. A file that cannot be parsed grants nothing. */
  recall(given: string): NamedToken | undefined {
    this.#lookAgain()
    return this.#among(given)
  }

  /** Like `recall`, but reads the file again for an unknown token: another process may have just made it. */
  find(given: string): NamedToken | undefined {
    return this.recall(given) ?? (this.#look() ? this.#among(given) : undefined)
  }

  /** Whether a token that was found earlier is still valid. */
  has({ hash }: Pick<NamedToken, 'hash'>): boolean {
    this.#lookAgain()
    return this.#read.value.some((one) => one.hash === hash)
  }

  onRemoved(listener: (removed: NamedToken, left: readonly NamedToken[]) => void): void {
    this.#onRemoved.add(listener)
  }

  close(): void {
    this.#stop?.()
    this.#onRemoved.clear()
  }

  /** Compares with all tokens, so that the timing does not reveal which one matched. */
  #among(given: string): NamedToken | undefined {
    const hash = sha256(given)
    return this.#read.value.filter((one) => isSameSecret(hash, one.hash))[0]
  }

  #lookAgain(): void {
    if (this.#world.clock.now() - this.#readAt >= LOOK_MS) this.#look()
  }

  /** Reads the file. Returns whether its contents changed. */
  #look(): boolean {
    const before = this.#read
    this.#readAt = this.#world.clock.now()
    this.#read = rereadState(this.#world, this.#file, before)
    const now = this.#read.value
    const removed = before.value.filter(({ hash }) => !now.some((one) => one.hash === hash))
    for (const one of removed) for (const tell of this.#onRemoved) tell(one, now)
    return this.#read !== before
  }
}

function tokensFile(world: World, dirs: TokenDirs): StateFile<readonly NamedToken[]> {
  return {
    file: world.paths.join(dirs.state, 'gateway-tokens.json'),
    empty: [],
    parse: ({ tokens }) => (Array.isArray(tokens) && tokens.every(isToken) ? tokens : undefined),
    format: (tokens) => ({ tokens: [...tokens].sort((a, b) => (a.name < b.name ? -1 : 1)) }),
    damaged: (file) =>
      createProblem({
        code: 'token/damaged',
        message: 'the record of the tokens of the gateway cannot be read, so none of them is good',
        where: { file },
        hints: ['move it away, and make new ones: `plugboard token add`'],
      }),
    unwritable: (file, why) =>
      createProblem({
        code: 'token/unwritable',
        message: 'the tokens of the gateway could not be written down',
        where: { file },
        notes: [why],
        hints: ['make sure that the folder is one, and that you may write there'],
      }),
  }
}

function isToken(value: unknown): value is NamedToken {
  if (!isObject(value)) return false
  const { name, hash, project, at } = value
  const isWhole = [name, hash, at].every((one) => typeof one === 'string' && one !== '')
  return isWhole && (project === undefined || typeof project === 'string')
}

function badName(name: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'token/bad-name',
    message: `\`${name}\` is no name for a token`,
    hints: ['use letters, digits, `.`, `-` and `_`, up to 64 of them'],
  })
}

function exists(name: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'token/exists',
    message: `there is a token named \`${name}\` already`,
    hints: [
      'give the new one another name: `plugboard token add <name>`',
      `to take the old one back, run \`plugboard token remove ${name}\``,
    ],
  })
}

function unknown(name: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'token/unknown',
    message: `no token is named \`${name}\``,
    hints: ['to see them all, run `plugboard token list`'],
  })
}
