/**
 * server-logs: what is kept of a server's words, in memory and on real files, however many there are.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { logFileOf, openServerLog, readServerLog } from '../../src/runtime/server-logs.ts'
import type { AppendOptions, World } from '../../src/world/world.ts'
import { exposeCollector } from '../memory/collector.ts'
import { createMemoryWorld } from '../worlds/memory.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

const DIRS = { state: '/state' }
const MB = 1024 * 1024
const isPosix = process.platform !== 'win32'

/** Time that passes when a test says so, and a disk that can be full; both over another world. */
interface Stage {
  readonly world: World
  /** Bytes of each append that was asked for. */
  readonly appends: number[]
  /** Timers that wait. */
  readonly timers: { readonly ms: number; readonly step: () => void }[]
  isDiskFull: boolean
  fireTimers(): void
}

function setStage(base: World = createMemoryWorld()): Stage {
  const appends: number[] = []
  const timers: Stage['timers'] = []
  const stage: Stage = {
    appends,
    timers,
    isDiskFull: false,
    fireTimers: () => timers.splice(0).forEach(({ step }) => step()),
    world: {
      ...base,
      clock: {
        ...base.clock,
        now: () => Date.UTC(2026, 10, 16, 12),
        after(ms, step) {
          const timer = { ms, step }
          timers.push(timer)
          return () => void timers.splice(timers.indexOf(timer), 1)
        },
      },
      files: {
        ...base.files,
        append(file: string, text: string, options: AppendOptions) {
          appends.push(Buffer.byteLength(text))
          return !stage.isDiskFull && base.files.append(file, text, options)
        },
      },
    },
  }
  return stage
}

const TIME = '2026-11-16T12:00:00.000Z'

function onDisk({ world }: Stage, lines = 1000): readonly string[] {
  return readServerLog(world, DIRS, 'files', lines).lines
}

function numbered(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, i) => `${TIME} stderr line ${from + i}`)
}

describe('a log', () => {
  test('has the time and kind of each line, and is on disk after 400 ms', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    log.write('starting', 'event')
    log.write('listening', 'stderr')
    log.write('a banner', 'stdout')
    const lines = [`${TIME} event starting`, `${TIME} stderr listening`, `${TIME} stdout a banner`]
    expect(stage.appends).toEqual([])
    expect(stage.timers.map(({ ms }) => ms)).toEqual([400])
    stage.fireTimers()
    expect(stage.appends).toHaveLength(1)
    expect(onDisk(stage)).toEqual(lines)
  })

  test('has what is told about a server where and when it was told, among its own words', () => {
    const stage = setStage()
    let now = Date.UTC(2026, 10, 16, 12)
    const clock = { ...stage.world.clock, now: () => (now += 1) }
    const log = openServerLog({ ...stage.world, clock }, DIRS, 'files')
    log.write('connecting', 'event')
    log.write('listening', 'stderr')
    log.write('ready\nand well', 'event')
    log.close()
    expect(onDisk(stage)).toEqual([
      '2026-11-16T12:00:00.001Z event connecting',
      '2026-11-16T12:00:00.002Z stderr listening',
      '2026-11-16T12:00:00.003Z event ready',
      '2026-11-16T12:00:00.003Z event and well',
    ])
  })

  test('has all that is told about a server, however much it is', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    const said = Array.from({ length: 100 }, (_, i) => `event ${i}`)
    for (const text of said) log.write(text, 'event')
    stage.fireTimers()
    expect(onDisk(stage)).toEqual(said.map((text) => `${TIME} event ${text}`))
  })

  test('is on disk after close, which leaves no timer', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    log.write('bye', 'stderr')
    log.close()
    expect(onDisk(stage)).toEqual([`${TIME} stderr bye`])
    expect(stage.timers).toEqual([])
  })

  test('takes no last words after close', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    log.close()
    log.write('too late', 'stderr')
    log.close()
    expect([stage.timers, stage.appends, onDisk(stage)]).toEqual([[], [], []])
  })

  test('of a server that says nothing is no file', () => {
    const stage = setStage()
    openServerLog(stage.world, DIRS, 'files').close()
    expect(stage.appends).toEqual([])
    expect(onDisk(stage)).toEqual([])
  })

  test('goes on where the last run ended', () => {
    const stage = setStage()
    for (const text of ['first run', 'second run']) {
      const log = openServerLog(stage.world, DIRS, 'files')
      log.write(text, 'event')
      log.close()
    }
    expect(onDisk(stage)).toEqual([`${TIME} event first run`, `${TIME} event second run`])
  })

  test('gives each line of a text its own time, so that no server can forge one', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    log.write('one\n2020-01-01T00:00:00.000Z event forged', 'stderr')
    log.close()
    expect(onDisk(stage)).toEqual([
      `${TIME} stderr one`,
      `${TIME} stderr 2020-01-01T00:00:00.000Z event forged`,
    ])
  })

  test('gives as many of the last lines as are asked for', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    for (let i = 0; i < 3456; i++) log.write(`line ${i}`, 'stderr')
    log.close()
    expect(onDisk(stage, 5000)).toEqual(numbered(0, 3456))
    expect(onDisk(stage, 2)).toEqual(numbered(3454, 3456))
    expect(onDisk(stage, 0)).toEqual([])
  })

  test('is read from its end, across both files', () => {
    const stage = setStage()
    const file = logFileOf(stage.world, DIRS, 'files')
    stage.world.files.append(`${file}.1`, 'a\nb\n', { mode: 0o600, maxBytes: MB })
    stage.world.files.append(file, 'c\nd\n', { mode: 0o600, maxBytes: MB })
    expect([0, 1, 2, 3, 9].map((lines) => onDisk(stage, lines).join(''))).toEqual([
      '',
      'd',
      'cd',
      'bcd',
      'abcd',
    ])
  })
})

describe('the name of a log file', () => {
  const nameOf = (name: string): string => basename(logFileOf(createMemoryWorld(), DIRS, name))
  const hashOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 8)

  test.each([
    ['files', 'files'],
    ['My Server', 'My-Server'],
    ['../../etc/passwd', '-etc-passwd'],
    ['con.txt', 'con-txt'],
    ['文件', '-'],
    ['x'.repeat(300), 'x'.repeat(60)],
  ])('for %s is safe and its own', (name, safe) => {
    expect(nameOf(name)).toBe(`${safe}-${hashOf(name)}.log`)
  })

  test('is another one for names that differ in letters only', () => {
    expect(
      new Set(['Files', 'files', 'fi les', 'fi-les'].map((name) => nameOf(name).toLowerCase())).size,
    ).toBe(4)
  })
})

describe('a line longer than 4 KB', () => {
  const write = (line: string): string => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    log.write(line, 'stderr')
    log.close()
    return onDisk(stage)[0]!.slice(`${TIME} stderr `.length)
  }

  test('is cut, and says by how much', () => {
    expect(write('x'.repeat(4096))).toBe('x'.repeat(4096))
    expect(write('x'.repeat(5000))).toBe(`${'x'.repeat(4096)}… (cut: 904 more characters)`)
  })

  test('is cut between characters', () => {
    // Three bytes each: 1365 of them are 4095 bytes.
    expect(write('漢'.repeat(1400))).toBe(`${'漢'.repeat(1365)}… (cut: 35 more characters)`)
    // Four bytes and two units each.
    expect(write(`${'😀'.repeat(1100)}`)).toBe(`${'😀'.repeat(1024)}… (cut: 152 more characters)`)
  })

  test('does not keep the rest of itself in memory', () => {
    const collect = exposeCollector()
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 50; i++) log.write(`${i} `.padEnd(2 * MB, 'xy'), 'stderr')
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20 * MB)
    log.close()
    expect(onDisk(stage)).toHaveLength(50)
  })
})

describe('a server that floods', () => {
  test('loses the middle of what is pending beyond 1 MB, and the log says how much', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    const total = 100_000
    for (let i = 0; i < total; i++) log.write(`line ${i}`, 'stderr')
    log.close()
    expect(stage.appends).toHaveLength(1)
    expect(stage.appends[0]).toBeLessThanOrEqual(MB + 200)
    expect(stage.appends[0]).toBeGreaterThan(MB / 2)

    const lines = onDisk(stage, Infinity)
    const gap = lines.findIndex((line) => line.includes('left out'))
    const left = /^(\S+) event \((\d+) lines left out here: too many at once\)$/.exec(lines[gap]!)
    expect(left?.[1]).toBe(TIME)
    const dropped = Number(left?.[2])
    expect(dropped + lines.length - 1).toBe(total)
    expect(lines.slice(0, gap)).toEqual(numbered(0, gap))
    expect(lines.slice(gap + 1)).toEqual(numbered(gap + dropped, total))
  })

  test('of 100 MB costs 5 MB of disk, one append per 400 ms, and a bounded one each', () => {
    using scratch = createScratch()
    const stage = setStage(scratch.world)
    const dirs = { state: join(scratch.home, 'state') }
    const log = openServerLog(stage.world, dirs, 'files')
    const line = '漢'.repeat(300)
    for (let i = 0; i < 110_000; i++) {
      log.write(`${i} ${line}`, 'stderr')
      if (i % 5000 === 4999) stage.fireTimers()
    }
    log.close()
    expect(stage.appends).toHaveLength(22)
    expect(Math.max(...stage.appends)).toBeLessThanOrEqual(MB + 200)
    const file = logFileOf(stage.world, dirs, 'files')
    const sizes = [file, `${file}.1`].map((path) => statSync(path).size)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2.5 * MB)
    expect(Math.min(...sizes)).toBeGreaterThan(0)
    expect(existsSync(`${file}.2`)).toBe(false)
    const [last] = readServerLog(stage.world, dirs, 'files', 1).lines
    expect(last).toBe(`${TIME} stderr 109999 ${line}`)
  })
})

describe('a disk that cannot be written to', () => {
  test('costs lines and not the server, and the log says how many once it can', () => {
    const stage = setStage()
    const log = openServerLog(stage.world, DIRS, 'files')
    stage.isDiskFull = true
    log.write('one\ntwo', 'stderr')
    stage.fireTimers()
    log.write('three', 'stderr')
    stage.fireTimers()
    stage.isDiskFull = false
    log.write('four', 'stderr')
    stage.fireTimers()
    expect(onDisk(stage)).toEqual([`${TIME} event (3 lines could not be written)`, `${TIME} stderr four`])
  })

  test('is a log that cannot be read, when it is no file', () => {
    using scratch = createScratch()
    const dirs = { state: join(scratch.home, 'state') }
    mkdirSync(logFileOf(scratch.world, dirs, 'files'), { recursive: true })
    expect(() => readServerLog(scratch.world, dirs, 'files', 1)).toThrow(
      'the log of this server cannot be read',
    )
  })

  test('leaves what came before half a character readable', () => {
    using scratch = createScratch()
    const dirs = { state: join(scratch.home, 'state') }
    const file = logFileOf(scratch.world, dirs, 'files')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(
      file,
      Buffer.concat([Buffer.from('whole\nhalf '), Buffer.from([0xe6, 0xbc]), Buffer.from('\nx\n')]),
    )
    expect(readServerLog(scratch.world, dirs, 'files', 9).lines).toEqual(['whole', 'half '])
  })
})

const WORLDS: readonly (readonly [string, (scratch: Scratch) => World])[] = [
  ['real files', (scratch) => scratch.world],
  ['files in memory', () => createMemoryWorld()],
]

describe.each(WORLDS)('append and remove with %s', (_, worldOf) => {
  const options = { mode: 0o600, maxBytes: 10 }

  test('a file grows until the next text would not fit, then becomes `.1` in place of the one before', () => {
    using scratch = createScratch()
    const { files } = worldOf(scratch)
    const file = join(scratch.home, 'logs', 'a.log')
    const texts = [file, `${file}.1`].map((path) => () => {
      const read = files.read(path)
      return read.kind === 'text' ? read.text : read.kind
    })
    const seen = ['1234', '漢漢', '5', '6789', '0123456789012345', 'x'].map((text) => [
      files.append(file, text, options),
      ...texts.map((read) => read()),
    ])
    expect(seen).toEqual([
      [true, '1234', 'missing'],
      [true, '1234漢漢', 'missing'],
      [true, '5', '1234漢漢'],
      [true, '56789', '1234漢漢'],
      [true, '0123456789012345', '56789'],
      [true, 'x', '0123456789012345'],
    ])
  })

  test('a file that is removed is gone, and one that never was too', () => {
    using scratch = createScratch()
    const { files } = worldOf(scratch)
    const file = join(scratch.home, 'a.log')
    files.append(file, 'x', options)
    expect([files.remove(file), files.kind(file), files.remove(file)]).toEqual([true, 'missing', true])
  })
})

describe.runIf(isPosix)('append to a real file', () => {
  const options = { mode: 0o600, maxBytes: 10 }

  test('makes it, and its folder, for its user alone', () => {
    using scratch = createScratch()
    const file = join(scratch.home, 'logs', 'a.log')
    scratch.world.files.append(file, 'x', options)
    expect([file, dirname(file)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700])
  })

  test.each([
    ['a pipe that nobody reads', (file: string) => void execFileSync('mkfifo', [file])],
    ['a folder', (file: string) => void mkdirSync(file)],
  ])('says no to %s, and leaves it there', (_, make) => {
    using scratch = createScratch()
    const file = join(scratch.home, 'a.log')
    make(file)
    const before = statSync(file).ino
    expect(scratch.world.files.append(file, 'x'.repeat(20), options)).toBe(false)
    expect(statSync(file).ino).toBe(before)
  })

  test('says no where there can be no folder, whoever asks', () => {
    using scratch = createScratch()
    const file = join(scratch.home, 'logs')
    writeFileSync(file, 'a file')
    expect(scratch.world.files.append(join(file, 'b.log'), 'x', options)).toBe(false)
    expect(readFileSync(file, 'utf8')).toBe('a file')
  })
})
