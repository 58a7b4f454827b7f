/**
 * watch: a board that keeps up with the files, as people, editors and other agents write them.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPlugboard, type OpenPlugboardOptions } from '../../src/index.ts'
import type { Board } from '../../src/runtime/board.ts'
import type { BoardReload } from '../../src/runtime/board-events.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { trustFile } from '../../src/runtime/trust-store.ts'
import { decide, requireQuestions } from '../../src/runtime/trust.ts'
import { serverEntry } from '../boards/open.ts'
import { call, connectionOf, until } from '../boards/watch.ts'
import { createObserved, type Observed } from '../worlds/observed.ts'

const LIMIT_MS = 15_000

const A = serverEntry('well-behaved')
const B = serverEntry('echoes-env')

interface Watched extends AsyncDisposable {
  readonly board: Board
  readonly seen: Observed
  readonly file: string
  /** The next reload that comes of this. */
  after(step: () => void): Promise<BoardReload>
}

const fileOf = ({ home }: Pick<Observed, 'home'>): string => join(home, '.cursor', 'mcp.json')

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const toText = (mcpServers: object): string => JSON.stringify({ mcpServers })

async function openWatched(
  servers: object | undefined,
  options: OpenPlugboardOptions & { readonly seen?: Observed } = {},
): Promise<Watched> {
  const { seen = createObserved(), ...rest } = options
  const file = fileOf(seen)
  if (servers !== undefined) put(file, toText(servers))
  const board = await openPlugboard({ world: seen.world, watch: true, wait: 'all', ...rest })
  return {
    board,
    seen,
    file,
    after: (step) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('nothing was read again')), LIMIT_MS)
        const stop = board.on('reload', (reload) => {
          clearTimeout(timer)
          stop()
          resolve(reload)
        })
        step()
      }),
    async [Symbol.asyncDispose]() {
      await board.close()
      seen[Symbol.dispose]()
    },
  }
}

const NOTHING = { added: [], removed: [], changed: [], reconnected: [] }

const programs = ({ seen }: Watched): readonly string[] => seen.children.map(({ program }) => program)

describe('a file that changes', () => {
  it('is read again within a second, and only what differs is touched', async () => {
    await using test = await openWatched({ a: A, b: A, gone: A })
    const pid = await call(test.board, 'a', ['echo', { text: 'x' }])
    const startedAt = Date.now()
    const { files, summary } = await test.after(() => put(test.file, toText({ a: A, b: B, c: A })))
    expect(Date.now() - startedAt).toBeLessThan(1000)
    expect({ files, summary }).toEqual({
      files: [test.file],
      summary: { added: ['c'], removed: ['gone'], changed: ['b'], reconnected: [] },
    })
    await until(test.board, () => connectionOf(test.board, 'c').state === 'ready')
    await until(test.board, () => connectionOf(test.board, 'b').state === 'ready')
    expect(await call(test.board, 'a', ['echo', { text: 'x' }])).toBe(pid)
    expect(programs(test)).toHaveLength(5)
    expect(test.board.snapshot().servers.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it.each<[string, (file: string, text: string) => void]>([
    [
      'replaces it',
      (file, text) => {
        writeFileSync(`${file}.draft`, text)
        renameSync(`${file}.draft`, file)
      },
    ],
    [
      'moves the old one away and writes a new one',
      (file, text) => {
        renameSync(file, `${file}~`)
        writeFileSync(file, text)
      },
    ],
    [
      'empties it first and writes a moment later',
      (file, text) => {
        writeFileSync(file, '')
        setTimeout(() => writeFileSync(file, text), 200)
      },
    ],
    [
      'removes it first and writes a moment later',
      (file, text) => {
        rmSync(file)
        setTimeout(() => writeFileSync(file, text), 200)
      },
    ],
  ])('is one change when an editor %s', async (_, save) => {
    await using test = await openWatched({ a: A })
    const { summary } = await test.after(() => save(test.file, toText({ a: A, b: A })))
    expect(summary).toEqual({ ...NOTHING, added: ['b'] })
    await until(test.board, () => connectionOf(test.board, 'b').state === 'ready')
    expect(programs(test)).toEqual(['well-behaved', 'well-behaved'])
  })

  it('is one change, however many times it is written', async () => {
    await using test = await openWatched({ a: A })
    const reloads: BoardReload[] = []
    test.board.on('reload', (reload) => reloads.push(reload))
    await test.after(() => {
      for (let i = 0; i < 50; i++) put(test.file, toText({ a: A, [`b${i}`]: A }))
    })
    expect(reloads.map(({ summary }) => summary)).toEqual([{ ...NOTHING, added: ['b49'] }])
  })

  it('starts nothing again that is down, when something else in it changed', async () => {
    const dead = { command: 'no-such-program-4711' }
    await using test = await openWatched({ a: A, dead })
    const { summary } = await test.after(() => put(test.file, toText({ a: A, dead, b: A })))
    expect(summary).toEqual({ ...NOTHING, added: ['b'] })
  })
})

describe('a file that was not there', () => {
  it('is noticed when it appears, folders and all', async () => {
    await using test = await openWatched(undefined)
    expect(test.board.snapshot().servers).toEqual([])
    const { summary } = await test.after(() => put(test.file, toText({ a: A })))
    expect(summary).toEqual({ ...NOTHING, added: ['a'] })
    await until(test.board, () => connectionOf(test.board, 'a').state === 'ready')
    // And from now on it is a file like any other.
    const next = await test.after(() => put(test.file, toText({})))
    expect(next.summary).toEqual({ ...NOTHING, removed: ['a'] })
  })

  it('is noticed behind a link, and so is what it leads to', async () => {
    await using test = await openWatched(undefined)
    const dotfiles = join(test.seen.home, 'dotfiles', 'cursor.json')
    put(dotfiles, toText({ a: A }))
    mkdirSync(dirname(test.file))
    const first = await test.after(() => symlinkSync(dotfiles, test.file))
    expect(first.summary.added).toEqual(['a'])
    const second = await test.after(() => put(dotfiles, toText({ b: A })))
    expect(second.summary).toEqual({ ...NOTHING, added: ['b'], removed: ['a'] })
  })
})

describe('a file that no longer parses', () => {
  it('keeps its last good reading, marked stale, until it is mended', async () => {
    await using test = await openWatched({ a: A, b: A })
    const broken = await test.after(() => put(test.file, '{ "mcpServers": { "a": '))
    expect(broken.summary).toEqual(NOTHING)
    const { servers, problems, catalog } = test.board.snapshot()
    expect(servers.map(({ name, isStale }) => [name, isStale])).toEqual([
      ['a', true],
      ['b', true],
    ])
    expect(problems).toMatchObject([
      {
        code: 'discover/stale',
        severity: 'warning',
        where: { file: test.file, line: 1 },
        notes: ['what it said before still counts'],
      },
    ])
    expect(catalog.places.filter(({ isStale }) => isStale)).toMatchObject([{ file: test.file, entries: 2 }])
    expect(catalog.entries.map(({ entry, fate }) => [entry.found.name, fate.kind])).toEqual([
      ['a', 'chosen'],
      ['b', 'chosen'],
    ])
    const mended = await test.after(() => put(test.file, toText({ a: A })))
    expect(mended.summary).toEqual({ ...NOTHING, removed: ['b'] })
    expect(test.board.snapshot()).toMatchObject({ problems: [], servers: [{ name: 'a' }] })
    expect(test.board.snapshot().servers[0]).not.toHaveProperty('isStale')
    expect(programs(test)).toHaveLength(2)
  })

  it('keeps it also in a reload that somebody asked for', async () => {
    await using test = await openWatched({ a: A }, { watch: false })
    put(test.file, '{')
    expect(await test.board.reload()).toEqual(NOTHING)
    expect(test.board.snapshot().servers).toMatchObject([{ name: 'a', isStale: true }])
  })

  it('and never did has no reading: as policy, it admits nothing', async () => {
    const seen = createObserved()
    const settings = join(seen.home, '.config', 'plugboard', 'settings.json')
    put(settings, '{ "deniedMcpServers": [')
    await using test = await openWatched({ a: A }, { seen })
    expect(test.board.snapshot().servers).toEqual([])
    const mended = await test.after(() => put(settings, '{ "deniedMcpServers": ["b"] }'))
    expect(mended.summary).toEqual({ ...NOTHING, added: ['a'] })
    // Now it has one, which forbids what it forbade.
    await test.after(() => put(settings, '{ "deniedMcpServers": '))
    const next = await test.after(() => put(test.file, toText({ a: A, b: A })))
    expect(next.summary).toEqual(NOTHING)
    expect(test.board.snapshot().servers.map(({ name }) => name)).toEqual(['a'])
  })
})

describe('other files that count', () => {
  it('are settings: rules, and servers that are switched off', async () => {
    await using test = await openWatched({ a: A, b: A })
    const settings = join(test.seen.home, '.config', 'plugboard', 'settings.json')
    const off = await test.after(() => put(settings, '{ "disabledServers": ["a"] }'))
    expect(off.summary).toEqual({ ...NOTHING, removed: ['a'] })
    const denied = '{ "permissions": { "rules": [{ "tool": "mcp__a__echo", "action": "deny" }] } }'
    const on = await test.after(() => put(settings, denied))
    expect(on.summary).toEqual({ ...NOTHING, added: ['a'] })
    await test.board.connect('a')
    expect(await test.board.call('mcp__a__echo', {})).toMatchObject({ outcome: 'not-sent', code: 'denied' })
  })

  it('are approvals: a server that is approved elsewhere starts, and stays when the record is damaged', async () => {
    const seen = createObserved()
    put(join(seen.project, '.mcp.json'), toText({ shop: A }))
    await using test = await openWatched(undefined, { seen })
    const loaded = await loadCatalog(seen.world)
    const { summary } = await test.after(
      () => void decide(seen.world, loaded, 'approved', requireQuestions(loaded, 'shop')),
    )
    expect(summary).toEqual({ ...NOTHING, added: ['shop'] })
    const trust = trustFile(seen.world, loaded.dirs)
    const damaged = await test.after(() => put(trust, '{'))
    expect(damaged.summary).toEqual(NOTHING)
    expect(test.board.snapshot().problems).toMatchObject([{ code: 'trust/stale' }])
  })
})

it('without being asked to, nothing is watched', async () => {
  const seen = createObserved({
    change: (world) => ({
      ...world,
      files: { ...world.files, watch: () => Promise.reject(new Error('nobody asked for this')) },
    }),
  })
  await using test = await openWatched({ a: A }, { seen, watch: false })
  expect(connectionOf(test.board, 'a').state).toBe('ready')
})

describe.runIf(process.platform === 'linux')('what the system says', () => {
  /** How many folders this process watches. */
  const watches = (): number =>
    readdirSync('/proc/self/fdinfo')
      .map((fd) => tryRead(`/proc/self/fdinfo/${fd}`))
      .join('')
      .split('\ninotify ').length - 1

  it('nothing is watched any more after closing, also right after a change', async () => {
    const before = watches()
    {
      await using test = await openWatched({})
      expect(watches()).toBeGreaterThan(before)
      put(test.file, toText({ a: A }))
    }
    expect(watches()).toBe(before)
  })
})

/** The descriptor of the listing itself is gone by then. */
function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
