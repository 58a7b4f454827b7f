/**
 * update: a file that crowds of processes write, that are killed, run out of disk, or may not.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parse, type ParseError } from 'jsonc-parser'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nodeFiles } from '../../src/world/node/files.ts'

const isRoot = process.geteuid?.() === 0
const isUnix = process.platform !== 'win32'

/** Nobody, on every system that has one. */
const NOBODY = 65_534

let bundle = ''
let folder = ''
let file = ''

beforeAll(async () => {
  bundle = mkdtempSync(join(tmpdir(), 'plugboard-worker-'))
  const graph = await rolldown({
    input: fileURLToPath(new URL('../processes/edit-worker.ts', import.meta.url)),
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
  })
  await graph.write({ dir: bundle, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await graph.close()
  chmodSync(bundle, 0o755)
})
afterAll(() => rmSync(bundle, { recursive: true }))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-test-'))
  file = join(folder, 'mcp.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const COMMENTED = `// mine
{
  // the first
  "mcpServers": {
    "old": { "command": "x" }, // from before
    /* more to come */
  },
  "last": true // the last
}
`

function startWorker(name: string, count: number, options: { readonly uid?: number } = {}): ChildProcess {
  const args = [join(bundle, 'edit-worker.mjs'), file, name, String(count)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
}

/** What it printed. */
async function endOf(worker: ChildProcess): Promise<readonly string[]> {
  const lines: string[] = []
  createInterface({ input: worker.stdout! }).on('line', (line) => lines.push(line))
  await once(worker, 'close')
  return lines
}

function serversIn(text: string): readonly string[] {
  const errors: ParseError[] = []
  const value = parse(text, errors, { allowTrailingComma: true }) as { readonly mcpServers: object }
  expect(errors).toEqual([])
  return Object.keys(value.mcpServers)
}

/** Where there is one: what a disk takes for a thousand writes says nothing about the lock. */
function createMemoryFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'plugboard-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) }
}

describe('many at once', () => {
  test('50 processes that add 20 servers each lose none, and no comment', { timeout: 180_000 }, async () => {
    using memory = createMemoryFolder()
    file = join(memory.path, 'mcp.json')
    writeFileSync(file, COMMENTED)
    const crowd = Array.from({ length: 50 }, (_, i) => startWorker(`p${i}`, 20))
    const answers = await Promise.all(crowd.map(endOf))
    expect(answers.every((lines) => lines.length === 20)).toBe(true)
    const text = readFileSync(file, 'utf8')
    const wanted = crowd.flatMap((_, i) => Array.from({ length: 20 }, (__, j) => `p${i}-${j}`))
    expect([...serversIn(text)].sort()).toEqual(['old', ...wanted].sort())
    for (const line of COMMENTED.split('\n')) expect(text.split('\n')).toContain(line)
    expect(readdirSync(memory.path)).toEqual(['mcp.json'])
  })

  test('a program that knows no lock is not overwritten', async () => {
    writeFileSync(file, 'one')
    let asked = 0
    await nodeFiles.update(file, 0o600, (text) => {
      if (asked++ < 3) writeFileSync(file, `${text} and theirs`)
      return `${text} and ours`
    })
    expect(readFileSync(file, 'utf8')).toBe('one and theirs and theirs and theirs and ours')
    expect(asked).toBe(4)
  })

  test('not even when it makes the file, or puts another in its place', async () => {
    let asked = 0
    await nodeFiles.update(file, 0o600, (text) => {
      if (asked++ === 0) writeFileSync(file, 'theirs')
      if (asked === 2) {
        writeFileSync(`${file}.new`, 'other')
        rmSync(file)
        linkSync(`${file}.new`, file)
      }
      return `${text} and ours`
    })
    expect(readFileSync(file, 'utf8')).toBe('other and ours')
  })

  test('a program that never stops writing ends in an error, not in a wait', async () => {
    let asked = 0
    const update = nodeFiles.update(file, 0o600, () => {
      writeFileSync(file, String(asked++))
      return 'ours'
    })
    await expect(update).rejects.toMatchObject({ why: { kind: 'busy' } })
    expect(readFileSync(file, 'utf8')).toBe(String(asked - 1))
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  })

  test('the lock of another agent is waited for', async () => {
    mkdirSync(`${file}.lock`)
    let isFree = false
    const update = nodeFiles.update(file, 0o600, () => {
      expect(isFree).toBe(true)
      return 'ours'
    })
    setTimeout(() => {
      isFree = true
      rmSync(`${file}.lock`, { recursive: true })
    }, 100)
    await update
    expect(readFileSync(file, 'utf8')).toBe('ours')
  })

  test('unless it was left behind', async () => {
    mkdirSync(`${file}.lock`)
    utimesSync(`${file}.lock`, new Date(0), new Date(0))
    await nodeFiles.update(file, 0o600, () => 'ours')
    expect(readFileSync(file, 'utf8')).toBe('ours')
  })
})

test(
  'killed at random moments of 500 writes, the file is the old or the new one',
  { timeout: 180_000 },
  async () => {
    writeFileSync(file, COMMENTED)
    let before = serversIn(COMMENTED).length
    for (let round = 0; round < 25; round++) {
      const worker = startWorker(`r${round}`, 100_000)
      const done = await killAfter(worker, 20)
      const text = readFileSync(file, 'utf8')
      const servers = serversIn(text)
      // What was told was written; at most one more, which could not be told.
      const own = servers.filter((name) => name.startsWith(`r${round}-`))
      expect(own).toEqual(Array.from({ length: own.length }, (_, i) => `r${round}-${i}`))
      expect([done, done + 1]).toContain(own.length)
      expect(servers).toHaveLength(before + own.length)
      expect(text.endsWith('  "last": true // the last\n}\n')).toBe(true)
      before = servers.length
    }
    await endOf(startWorker('tidy', 1))
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  },
)

/** Some time after so many writes; how many it told of. */
async function killAfter(worker: ChildProcess, writes: number): Promise<number> {
  let done = 0
  createInterface({ input: worker.stdout! }).on('line', () => {
    // The random moment is what is tested.
    if (++done === writes) setTimeout(() => worker.kill('SIGKILL'), Math.random() * 10)
  })
  await once(worker, 'close')
  return done
}

describe.runIf(isUnix)('what a file is', () => {
  test('its mode and owner stay', async () => {
    writeFileSync(file, '{}')
    chmodSync(file, 0o640)
    if (isRoot) chownSync(file, 1234, 5678)
    const before = statSync(file)
    await nodeFiles.update(file, nodeFiles.mode(file)!, () => '{ }')
    const { mode, uid, gid } = statSync(file)
    expect({ mode, uid, gid }).toEqual({ mode: before.mode, uid: before.uid, gid: before.gid })
  })

  describe('a file that must stay in a folder', () => {
    const write = (path: string): Promise<void> =>
      nodeFiles.update(path, { mode: 0o600, within: join(folder, 'shop') }, () => 'ours')
    beforeEach(() => {
      mkdirSync(join(folder, 'shop/docs'), { recursive: true })
      mkdirSync(join(folder, 'home'))
    })

    test('is written through links that stay inside', async () => {
      symlinkSync('../shop/docs', join(folder, 'shop/.plugboard'))
      symlinkSync(join(folder, 'shop'), join(folder, 'link-to-shop'))
      await write(join(folder, 'link-to-shop/.plugboard/mcp.json'))
      expect(readFileSync(join(folder, 'shop/docs/mcp.json'), 'utf8')).toBe('ours')
    })

    test.each([
      ['it is a link', 'mcp.json', '../home/mcp.json', 'mcp.json'],
      ['it is a link to a file that is not there', 'mcp.json', '../home/new.json', 'mcp.json'],
      ['it is a link to a folder that is not there', 'mcp.json', '../home/new/new.json', 'mcp.json'],
      ['its folder is a link', '.plugboard', '../home', '.plugboard/mcp.json'],
      ['a folder above is a link', '.config', '../home', '.config/plugboard/mcp.json'],
    ])('is not where %s out of it', async (_, link, target, path) => {
      writeFileSync(join(folder, 'home/mcp.json'), 'theirs')
      symlinkSync(target, join(folder, 'shop', link))
      const real = join(folder, 'home', path.endsWith('new.json') ? 'new.json' : '')
      await expect(write(join(folder, 'shop', path))).rejects.toMatchObject({
        why: {
          kind: 'outside',
          link: join(folder, 'shop', link),
          target: expect.stringContaining(join(real)) as unknown,
        },
      })
      expect(readFileSync(join(folder, 'home/mcp.json'), 'utf8')).toBe('theirs')
      expect(readdirSync(join(folder, 'home'))).toEqual(['mcp.json'])
    })
  })

  test('a link stays one, also to a file that is not there yet, and through several', async () => {
    mkdirSync(join(folder, 'dotfiles'))
    symlinkSync('dotfiles/link.json', file)
    symlinkSync('real.json', join(folder, 'dotfiles/link.json'))
    await nodeFiles.update(file, 0o600, (text) => `${text}`)
    await nodeFiles.update(file, 0o600, (text) => `${text} twice`)
    expect(readlinkSync(file)).toBe('dotfiles/link.json')
    expect(lstatSync(join(folder, 'dotfiles/link.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(folder, 'dotfiles/real.json'), 'utf8')).toBe('undefined twice')
    expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['link.json', 'real.json'])
  })

  test('a link in a circle is an error', async () => {
    symlinkSync('b', join(folder, 'a'))
    symlinkSync('a', join(folder, 'b'))
    await expect(nodeFiles.update(join(folder, 'a'), 0o600, () => '')).rejects.toMatchObject({
      why: { kind: 'unreadable', why: { kind: 'link-loop' } },
    })
  })

  test('a byte order mark stays, and is not seen', async () => {
    writeFileSync(file, '\ufeff{}')
    await nodeFiles.update(file, 0o600, (text) => `${text} `)
    expect(readFileSync(file, 'utf8')).toBe('\ufeff{} ')
  })

  test('one that shall stay as it is is not written', async () => {
    writeFileSync(file, '{}')
    const { ino, mtimeMs } = statSync(file)
    await nodeFiles.update(file, 0o600, (text) => text)
    await nodeFiles.update(file, 0o600, () => undefined)
    const after = statSync(file)
    expect([after.ino, after.mtimeMs]).toEqual([ino, mtimeMs])
    await nodeFiles.update(join(folder, 'none'), 0o600, () => undefined)
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  test('folders are made for it', async () => {
    const deep = join(folder, 'a/b/mcp.json')
    await nodeFiles.update(deep, 0o600, () => '{}')
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
    await nodeFiles.update(join(folder, 'c/mcp.json'), 0o644, () => '{}')
    expect(statSync(join(folder, 'c')).mode & 0o777 & ~process.umask()).toBe(0o777 & ~process.umask())
  })

  test('what `change` throws comes out, and nothing is left behind', async () => {
    writeFileSync(file, '{')
    const update = nodeFiles.update(file, 0o600, () => {
      throw new Error('no')
    })
    await expect(update).rejects.toThrow('no')
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  })
})

describe.runIf(isUnix)('where it cannot be written, nothing changes', () => {
  const unchanged = (): void => {
    expect(readFileSync(file, 'utf8')).toBe(COMMENTED)
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  }
  /** As somebody who is not root, where that can be done. */
  const asNobody = isRoot ? { uid: NOBODY } : {}

  beforeEach(() => writeFileSync(file, COMMENTED))

  test('a read-only file', async () => {
    chmodSync(file, 0o444)
    expect(await endOf(startWorker('a', 1))).toEqual(['write/read-only'])
    unchanged()
  })

  test('a read-only folder', async () => {
    if (isRoot) chownSync(file, NOBODY, NOBODY)
    chmodSync(folder, 0o555)
    expect(await endOf(startWorker('a', 1, asNobody))).toEqual(['write/read-only-folder'])
    chmodSync(folder, 0o755)
    unchanged()
  })

  test.runIf(isRoot)('a file of somebody else, in a folder of ours', async () => {
    chownSync(folder, NOBODY, NOBODY)
    chmodSync(file, 0o666)
    expect(await endOf(startWorker('a', 1, asNobody))).toEqual(['write/other-owner'])
    unchanged()
    expect(statSync(file).uid).toBe(0)
  })

  test('a folder that cannot be made', async () => {
    const before = file
    file = join(folder, 'mcp.json', 'mcp.json')
    expect(await endOf(startWorker('a', 1))).toEqual(['write/no-folder'])
    file = before
    unchanged()
  })

  test('a folder that cannot be made says what is in its way', async () => {
    const update = nodeFiles.update(join(file, 'a', 'b', 'mcp.json'), 0o600, () => '{}')
    await expect(update).rejects.toMatchObject({ why: { kind: 'no-folder', path: file } })
    unchanged()
  })

  test('a text that does not parse', async () => {
    writeFileSync(file, '{ "mcpServers": { ')
    expect(await endOf(startWorker('a', 1))).toEqual(['edit/unparseable'])
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": { ')
  })

  test.runIf(canMount())('a disk that is full', async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    try {
      cpSync(file, join(disk, 'mcp.json'))
      file = join(disk, 'mcp.json')
      const lines = await endOf(startWorker('a', 10_000))
      expect(lines.at(-1)).toBe('write/disk-full')
      expect(serversIn(readFileSync(file, 'utf8'))).toHaveLength(lines.length)
      expect(readdirSync(disk)).toEqual(['mcp.json'])
      // Full to the last byte: not even a lock can be written.
      spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'rest')}`, 'bs=1k'])
      expect(await endOf(startWorker('b', 1))).toEqual(['write/disk-full'])
      expect(readdirSync(disk)).toEqual(['mcp.json', 'rest'])
    } finally {
      spawnSync('umount', [disk])
    }
  })
})

/** Root in a container often may not. */
function canMount(): boolean {
  if (!isRoot || process.platform !== 'linux') return false
  const probe = mkdtempSync(join(tmpdir(), 'plugboard-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe])
  if (status === 0) spawnSync('umount', [probe])
  rmSync(probe, { recursive: true })
  return status === 0
}
