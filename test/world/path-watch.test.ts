/**
 * path-watch: whatever happens to a path, however it is reached, somebody hears of it soon.
 */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeFiles } from '../../src/world/node/files.ts'
import { findLookups } from '../../src/world/node/path-watch.ts'
import type { WatchedPaths } from '../../src/world/world.ts'

/** So soon that it was an event: where there are none, nothing is heard for 5 seconds. */
const SOON_MS = 2500

interface Watched extends Disposable {
  readonly at: (...parts: readonly string[]) => string
  /** Resolves with the next call that comes after this one. */
  touched(): Promise<void>
}

async function watching(
  prepare: (at: Watched['at']) => void,
  pathsOf: (at: Watched['at']) => Partial<WatchedPaths>,
): Promise<Watched> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-test-')))
  const at: Watched['at'] = (...parts) => join(folder, ...parts)
  prepare(at)
  let tell = (): void => undefined
  const stop = await nodeFiles.watch({ files: [], folders: [], ...pathsOf(at) }, () => tell())
  return {
    at,
    touched: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('nobody told')), SOON_MS)
        tell = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    [Symbol.dispose]() {
      stop()
      rmSync(folder, { recursive: true })
    },
  }
}

type Step = (at: Watched['at']) => void

const CASES: readonly (readonly [name: string, prepare: Step, change: Step])[] = [
  ['a file is written', (at) => writeFileSync(at('f'), 'a'), (at) => writeFileSync(at('f'), 'b')],
  ['a file grows', (at) => writeFileSync(at('f'), 'a'), (at) => appendFileSync(at('f'), 'b')],
  ['a file appears', () => undefined, (at) => writeFileSync(at('f'), 'a')],
  ['a file goes', (at) => writeFileSync(at('f'), 'a'), (at) => unlinkSync(at('f'))],
  [
    'a file is replaced by another one',
    (at) => writeFileSync(at('f'), 'a'),
    (at) => {
      writeFileSync(at('draft'), 'b')
      renameSync(at('draft'), at('f'))
    },
  ],
]

describe('a path', () => {
  test.each(CASES)('is told of when %s', async (_, prepare, change) => {
    using watched = await watching(prepare, (at) => ({ files: [at('f')] }))
    const told = watched.touched()
    change(watched.at)
    await told
  })

  test('is told of when its folders appear one after the other, and the file at last', async () => {
    using watched = await watching(
      () => undefined,
      (at) => ({ files: [at('a', 'b', 'f')] }),
    )
    let told = watched.touched()
    mkdirSync(watched.at('a'))
    await told
    told = watched.touched()
    mkdirSync(watched.at('a', 'b'))
    await told
    told = watched.touched()
    writeFileSync(watched.at('a', 'b', 'f'), '1')
    await told
  })

  test('is told of again after its folder was removed and made anew', async () => {
    using watched = await watching(
      (at) => mkdirSync(at('a')),
      (at) => ({ files: [at('a', 'f')] }),
    )
    let told = watched.touched()
    rmSync(watched.at('a'), { recursive: true })
    await told
    told = watched.touched()
    mkdirSync(watched.at('a'))
    await told
    told = watched.touched()
    writeFileSync(watched.at('a', 'f'), '1')
    await told
  })

  test('is told of when a folder far above is moved away', async () => {
    using watched = await watching(
      (at) => mkdirSync(at('a', 'b', 'c'), { recursive: true }),
      (at) => ({ files: [at('a', 'b', 'c', 'f')] }),
    )
    const told = watched.touched()
    renameSync(watched.at('a'), watched.at('elsewhere'))
    await told
  })

  test.each<[string, Step]>([
    ['what the link leads to is written', (at) => writeFileSync(at('real', 'f'), 'b')],
    [
      'the link leads elsewhere',
      (at) => {
        symlinkSync(at('other'), at('draft'))
        renameSync(at('draft'), at('here', 'f'))
      },
    ],
    [
      'a link in between leads elsewhere',
      (at) => {
        symlinkSync(at('other'), at('draft'))
        renameSync(at('draft'), at('middle'))
      },
    ],
  ])('behind links is told of when %s', async (_, change) => {
    using watched = await watching(
      (at) => {
        for (const name of ['real', 'here']) mkdirSync(at(name))
        writeFileSync(at('real', 'f'), 'a')
        symlinkSync(at('real'), at('middle'))
        symlinkSync(join('..', 'middle', 'f'), at('here', 'f'))
      },
      (at) => ({ files: [at('here', 'f')] }),
    )
    const told = watched.touched()
    change(watched.at)
    await told
  })

  test('that is a folder is told of whatever appears in it', async () => {
    using watched = await watching(
      (at) => mkdirSync(at('plugins')),
      (at) => ({ folders: [at('plugins')] }),
    )
    const told = watched.touched()
    mkdirSync(watched.at('plugins', 'new'))
    await told
  })

  test('beside it is nobody concerned', async () => {
    using watched = await watching(
      (at) => writeFileSync(at('f'), 'a'),
      (at) => ({ files: [at('f')] }),
    )
    let calls = 0
    void watched.touched().then(() => (calls += 1))
    writeFileSync(watched.at('other'), 'a')
    await untilTold(watched.at('other'))
    expect(calls).toBe(0)
  })
})

/** When another watch of the same folder has told of it, the first would have. */
async function untilTold(file: string): Promise<void> {
  let done = (): void => undefined
  const told = new Promise<void>((resolve) => (done = resolve))
  const stop = await nodeFiles.watch({ files: [file], folders: [] }, () => done())
  appendFileSync(file, 'x')
  await told
  stop()
}

describe('the look-ups of a path', () => {
  test('end where nothing is, and a loop of links ends too', () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-test-')))
    symlinkSync(join(folder, 'b'), join(folder, 'a'))
    symlinkSync(join(folder, 'a'), join(folder, 'b'))
    const found = findLookups({ files: [join(folder, 'a', 'x'), join(folder, 'none', 'x')], folders: [] })
    expect(found.get(folder)).toEqual(new Set(['a', 'b', 'none']))
    expect(found.has(join(folder, 'none'))).toBe(false)
    rmSync(folder, { recursive: true })
  })
})

test('nothing is left open when the watch is over', async () => {
  const before = process.getActiveResourcesInfo().length
  const stop = await nodeFiles.watch({ files: [join(tmpdir(), 'x')], folders: [] }, () => undefined)
  stop()
  await new Promise((resolve) => setImmediate(resolve))
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before)
})
