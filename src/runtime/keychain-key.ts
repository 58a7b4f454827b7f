/**
 * keychain-key: our one key in the keychain, which seals sign-ins.
 *
 * in     the keychain of the system, which may be missing, locked or silent
 * out    the key, or undefined when no keychain works
 * never  asks a keychain that does not work again for a week; loads the keychain before a caller needs the key
 */
import { isObject } from '../base/is-object.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'

export interface KeychainKey {
  /** The key to seal with, made if there is none yet. Undefined: nothing can be sealed here. */
  toSeal(): Promise<string | undefined>
  /** The key to open what was sealed before. Throws `authorize/keychain-locked`. */
  toOpen(): Promise<string>
}

const ITEM = 'sign-ins'

/** The verdict expires: the user may install a keychain, or unlock it. */
const VERDICT_MS = 7 * 24 * 3600 * 1000

export function createKeychainKey(world: World, folder: string): KeychainKey {
  const file = world.paths.join(folder, 'keychain.json')
  let known: string | undefined
  return {
    async toSeal() {
      if (known !== undefined || !world.keychain.mayWork) return known
      if (readVerdict(world, file) === 'broken') return undefined
      known = await world.files.locked(file, () => probe(world, file))
      return known
    },
    async toOpen() {
      known ??= await world.keychain.get(ITEM).catch((error: unknown) => {
        throw new ProblemError(locked(error), { cause: error })
      })
      if (known === undefined) throw new ProblemError(locked(new Error('the key is not in it any more')))
      return known
    },
  }
}

/** Reads back what it wrote: some keychains accept everything and keep nothing. */
async function probe({ keychain, sealer, clock, files }: World, file: string): Promise<string | undefined> {
  const remember = (verdict: object): void => {
    files.write(file, 0o600, `${JSON.stringify({ version: 1, ...verdict, at: clock.now() })}\n`)
  }
  try {
    const before = await keychain.get(ITEM)
    const key = before ?? sealer.createKey()
    if (before === undefined) await keychain.set(ITEM, key)
    if ((await keychain.get(ITEM)) !== key) throw new Error('it did not give back what was put into it')
    remember({ verdict: 'works' })
    return key
  } catch (error) {
    remember({ verdict: 'broken', why: error instanceof Error ? error.message : String(error) })
    return undefined
  }
}

function readVerdict({ files, clock }: World, file: string): 'works' | 'broken' | undefined {
  const read = files.read(file)
  const value = read.kind === 'text' ? tryJson(read.text) : undefined
  if (!isObject(value) || typeof value['at'] !== 'number') return undefined
  // A verdict from the future was recorded by a wrong clock.
  const ageMs = clock.now() - value['at']
  if (ageMs < 0 || ageMs > VERDICT_MS) return undefined
  return value['verdict'] === 'broken' ? 'broken' : 'works'
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // asked again
  }
}

function locked(error: unknown): ReturnType<typeof createProblem> {
  const why = error instanceof Error ? error.message : String(error)
  return createProblem({
    code: 'authorize/keychain-locked',
    message: 'a saved sign-in is locked in the keychain, which cannot be reached from here',
    notes: [`the keychain says: ${why}`],
    hints: ['unlock it, or sign in again from here: `plugboard login <server>`'],
  })
}
