/**
 * memory: a World whose files and clock live in memory, in the manner of any platform.
 */
import { posix, win32 } from 'node:path'
import { Turns } from '../../src/base/turns.ts'
import { nodeKeys } from '../../src/world/node/keys.ts'
import { nodeSealer } from '../../src/world/node/sealer.ts'
import {
  MAX_FILE_BYTES,
  UpdateError,
  type FileRead,
  type Files,
  type Keychain,
  type Paths,
  type Platform,
  type ShellOutcome,
  type Unwritable,
  type World,
} from '../../src/world/world.ts'

export interface MemoryOptions {
  readonly platform?: Platform
  readonly env?: Readonly<Record<string, string>>
  readonly home?: string
  readonly cwd?: string
  /** By absolute path. A value that is not text is what reading it gives. */
  readonly files?: Readonly<Record<string, string | FileRead>>
  /** Paths that belong to another user. */
  readonly foreign?: readonly string[]
  /** By absolute path: why it cannot be changed. */
  readonly unwritable?: Readonly<Record<string, Unwritable>>
  /** Paths that can be run. */
  readonly programs?: readonly string[]
  readonly now?: number
  /** What the network answers, by URL. */
  readonly web?: Readonly<Record<string, { readonly status: number; readonly text: string }>>
  readonly shell?: (command: string) => ShellOutcome
  /** Default: there is none. */
  readonly keychain?: Keychain
}

export interface MemoryWorld extends World {
  /** Everything that was read, in order: what a test of "never reads" looks at. */
  readonly reads: readonly string[]
  readonly commands: readonly string[]
  readonly stored: ReadonlyMap<string, string | FileRead>
  /** Who is told when something is touched; empty when nobody watches. */
  readonly watchers: ReadonlySet<() => void>
}

export const HOMES: Readonly<Record<Platform, string>> = {
  linux: '/home/ada',
  darwin: '/Users/ada',
  win32: 'C:\\Users\\ada',
}

export const PROJECTS: Readonly<Record<Platform, string>> = {
  linux: '/src/shop',
  darwin: '/src/shop',
  win32: 'C:\\src\\shop',
}

export function createMemoryWorld(options: MemoryOptions = {}): MemoryWorld {
  const platform = options.platform ?? 'linux'
  const paths: Paths = platform === 'win32' ? win32 : posix
  const stored = new Map(Object.entries(options.files ?? {}))
  const reads: string[] = []
  const commands: string[] = []
  const watchers = new Set<() => void>()
  return {
    platform,
    processors: 1,
    paths,
    env: options.env ?? {},
    home: options.home ?? HOMES[platform],
    cwd: options.cwd ?? PROJECTS[platform],
    files: createMemoryFiles({
      paths,
      stored,
      reads,
      programs: new Set(options.programs),
      foreign: new Set(options.foreign),
      watchers,
      unwritable: new Map(Object.entries(options.unwritable ?? {})),
    }),
    clock: {
      now: () => options.now ?? Date.UTC(2026, 10, 16),
      after: () => () => undefined,
      random: () => 0.5,
    },
    web: {
      get: async (url) => {
        const answer = options.web?.[url]
        if (answer === undefined) throw new Error(`connect ECONNREFUSED ${url}`)
        return answer
      },
    },
    shell: {
      run: async (command) => {
        commands.push(command)
        return options.shell?.(command) ?? { stdout: '', stderr: '', exitCode: 0, timedOut: false }
      },
    },
    processes: { spawn: () => unreachable('a process'), whenNoneIsLeft: async () => undefined },
    http: { request: () => unreachable('a host') },
    sockets: { open: () => unreachable('a socket') },
    networkOf: () => unreachable('a host'),
    keychain: options.keychain ?? NO_KEYCHAIN,
    sealer: nodeSealer,
    resolver: { addressesOf: () => unreachable('a name') },
    browser: { open: () => unreachable('a browser') },
    loopback: { listen: () => unreachable('a port') },
    keys: nodeKeys,
    serving: { listen: () => unreachable('a port') },
    pipes: { listen: () => unreachable('a socket'), connect: () => unreachable('a socket') },
    daemons: { start: () => unreachable('a process'), pid: 1, isAlive: () => false },
    reads,
    commands,
    stored,
    watchers,
  }
}

export const NO_KEYCHAIN: Keychain = {
  mayWork: false,
  get: () => Promise.reject(new Error('this world has no keychain')),
  set: () => Promise.reject(new Error('this world has no keychain')),
  remove: () => Promise.reject(new Error('this world has no keychain')),
}

/** One that works, and tells how often it was asked. */
export function createMemoryKeychain(): Keychain & { readonly items: Map<string, string>; asked: number } {
  const items = new Map<string, string>()
  return {
    items,
    asked: 0,
    mayWork: true,
    async get(item) {
      this.asked++
      return items.get(item)
    },
    async set(item, secret) {
      items.set(item, secret)
    },
    async remove(item) {
      items.delete(item)
    },
  }
}

/** Tests of discovery reach nothing. */
function unreachable(what: string): never {
  throw new Error(`this world has no way to ${what}`)
}

interface Disk {
  readonly paths: Paths
  readonly stored: Map<string, string | FileRead>
  readonly reads: string[]
  readonly programs: ReadonlySet<string>
  readonly watchers: Set<() => void>
  readonly unwritable: ReadonlyMap<string, Unwritable>
  readonly foreign: ReadonlySet<string>
}

function createMemoryFiles({ paths, stored, reads, programs, watchers, unwritable, foreign }: Disk): Files {
  const locks = new Map<string, Turns>()
  const isBelow = (directory: string, path: string): boolean => path.startsWith(directory + paths.sep)
  return {
    read(file, maxBytes = MAX_FILE_BYTES) {
      reads.push(file)
      const found = stored.get(file)
      if (found === undefined) return { kind: 'missing' }
      const bytes = typeof found === 'string' ? Buffer.byteLength(found) : 0
      if (bytes > maxBytes) return { kind: 'unreadable', why: { kind: 'too-large', bytes, maxBytes } }
      return typeof found === 'string' ? { kind: 'text', text: found } : found
    },
    kind(path) {
      if (stored.has(path) || programs.has(path)) return 'file'
      return [...stored.keys()].some((file) => isBelow(path, file)) ? 'directory' : 'missing'
    },
    list(directory) {
      const below = [...stored.keys()].filter((file) => isBelow(directory, file))
      const names = below.map((file) => file.slice(directory.length + 1).split(paths.sep)[0]!)
      return [...new Set(names)].sort()
    },
    realPath: (path) => path,
    isExecutable: (path) => programs.has(path),
    findObstacle(folder) {
      for (let path = folder; paths.dirname(path) !== path; path = paths.dirname(path))
        if (stored.has(path)) return { kind: 'no-folder', path }
      return undefined
    },
    mode: (path) => (stored.has(path) ? 0o600 : undefined),
    isForeign: (path) => foreign.has(path),
    makeFolder: () => true,
    async update(file, _mode, change) {
      for (;;) {
        const before = stored.get(file)
        const wanted = change(typeof before === 'string' ? before : undefined)
        if (stored.get(file) !== before) continue // somebody wrote in between
        if (wanted === undefined || wanted === before) return
        const why = unwritable.get(file)
        if (why !== undefined) throw new UpdateError(why)
        stored.set(file, wanted)
        return
      }
    },
    locked: (file, step) => {
      const turns = locks.get(file) ?? new Turns()
      locks.set(file, turns)
      return turns.take(step)
    },
    write(file, _mode, content) {
      stored.set(file, typeof content === 'string' ? content : Buffer.from(content).toString('latin1'))
      return true
    },
    append(file, text, { maxBytes }) {
      const before = stored.get(file) ?? ''
      if (typeof before !== 'string') return false
      const isFull = before !== '' && Buffer.byteLength(before) + Buffer.byteLength(text) > maxBytes
      if (isFull) stored.set(`${file}.1`, before)
      stored.set(file, isFull ? text : before + text)
      return true
    },
    stats(file) {
      const content = stored.get(file)
      return typeof content === 'string' ? { bytes: Buffer.byteLength(content), changedAt: 0 } : undefined
    },
    rename(file, to) {
      const content = stored.get(file)
      if (content === undefined || stored.has(to)) return false
      stored.delete(file)
      stored.set(to, content)
      return true
    },
    remove(file) {
      stored.delete(file)
      return true
    },
    async watch(_, onTouched) {
      watchers.add(onTouched)
      return () => void watchers.delete(onTouched)
    },
  }
}
