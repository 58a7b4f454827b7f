/**
 * cached: the library with its code cache, in real hosts, and the command with its own. Each works on a copy of the build,
 * whose caches are its own.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { serverEntry } from './boards/open.ts'
import { DIST, openMachine, type Machine } from './processes/plugboard.ts'
import { startProgram } from './servers/http/program.ts'

const { version: VERSION } = JSON.parse(readFileSync(join(DIST, '..', 'package.json'), 'utf8')) as {
  version: string
}

/** Of the build without its caches; what is installed is found from there, too. */
function copyBuild(machine: Machine): string {
  const copy = machine.at('~/copy/dist')
  cpSync(DIST, copy, { recursive: true, filter: (file) => !/\.cache(?:\.|$)|types|shell/.test(file) })
  writeFileSync(machine.at('~/copy/package.json'), '{ "type": "module" }')
  symlinkSync(join(DIST, '..', 'node_modules'), machine.at('~/copy/node_modules'), 'junction')
  return copy
}

const cachesIn = (build: string): readonly string[] =>
  readdirSync(build).filter((name) => name.startsWith('library-'))

/** A host that imports the copy as `plugboard`. */
function startOf(build: string, program: string): readonly string[] {
  const url = JSON.stringify(pathToFileURL(join(build, 'cached.js')).href)
  return [process.execPath, '--input-type=module', '-e', `import * as plugboard from ${url}\n${program}`]
}

/** What it prints. */
async function host(machine: Machine, build: string, program: string): Promise<string> {
  const { code, stdout, stderr } = await machine.run([], { start: startOf(build, program) })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

const openWith = (servers: object): string => `
  const board = await plugboard.openPlugboard({ servers: ${JSON.stringify(servers)}, strict: true, wait: 'all', mode: 'bypass' })
  const texts = board.tools().filter(({ tool }) => tool === 'echo')
    .map(async ({ name }) => (await board.call(name, { text: 'hi', message: 'hi' })).text)
  console.log((await Promise.all(texts)).join())
  await board.close()`

const PROGRAM = openWith({ here: serverEntry('well-behaved') })

/** By a host that opens a board: its name. */
async function leaveCache(machine: Machine, build: string): Promise<string> {
  await host(machine, build, PROGRAM)
  return cachesIn(build)[0]!
}

test('it has everything that the library has, and nothing else', async () => {
  const [cached, plain] = (await Promise.all(
    ['cached.js', 'index.js'].map((file) => import(pathToFileURL(join(DIST, file)).href)),
  )) as [object, object]
  expect(Object.keys(cached).sort()).toEqual(Object.keys(plain).sort())
})

test('servers on this machine and elsewhere answer', async () => {
  await using program = await startProgram('everything-http')
  using machine = openMachine()
  const servers = { here: serverEntry('well-behaved'), there: { type: 'http', url: `${program.origin}/mcp` } }
  expect(await host(machine, copyBuild(machine), openWith(servers))).toBe('hi,Echo: hi\n')
})

test('a host that opens a board leaves the cache that the next one takes; one that only looks leaves none', async () => {
  using machine = openMachine()
  const build = copyBuild(machine)
  await host(machine, build, `console.log(plugboard.PROFILES.length)`)
  expect(cachesIn(build)).toEqual([])

  expect(await host(machine, build, PROGRAM)).toBe('hi\n')
  const [cache, ...others] = cachesIn(build)
  expect(cache).toMatch(
    new RegExp(`^library-host-\\d+-${VERSION}-${process.version}-${process.arch}\\.cache$`),
  )
  expect(others).toEqual([])

  const { mtimeMs } = statSync(join(build, cache!))
  expect(await host(machine, build, PROGRAM)).toBe('hi\n')
  expect(statSync(join(build, cache!)).mtimeMs).toBe(mtimeMs)
})

test('a host that stays open leaves it before its end, which may come by a signal', async () => {
  using machine = openMachine()
  const build = copyBuild(machine)
  const hasCache = (): void =>
    expect(cachesIn(build).filter((name) => name.endsWith('.cache'))).toHaveLength(1)
  const stays = `await plugboard.openPlugboard({ strict: true })\nsetInterval(() => undefined, 1000)`
  const interruptWhen = vi.waitFor(hasCache, { timeout: 20_000 })
  const run = machine.run([], { start: startOf(build, stays), interruptWhen })
  await expect(run).rejects.toThrow('ended by SIGINT')

  const file = join(build, cachesIn(build)[0]!)
  const { mtimeMs } = statSync(file)
  expect(await host(machine, build, PROGRAM)).toBe('hi\n')
  expect(statSync(file).mtimeMs).toBe(mtimeMs)
})

test('a cache that is none is made anew', async () => {
  using machine = openMachine()
  const build = copyBuild(machine)
  const file = join(build, await leaveCache(machine, build))
  const { length } = readFileSync(file)
  writeFileSync(file, Buffer.alloc(length, 1))
  expect(await host(machine, build, PROGRAM)).toBe('hi\n')
  expect(readFileSync(file).subarray(0, 64)).not.toEqual(Buffer.alloc(64, 1))
})

test('flags of all kinds do not fill the folder', async () => {
  using machine = openMachine()
  const build = copyBuild(machine)
  for (let count = 0; count < 8; count++) writeFileSync(join(build, `library-host-${count}.cache`), '')
  await host(machine, build, PROGRAM)
  expect(cachesIn(build)).toHaveLength(8)
})

test('however many scripts are loaded, the host has one listener more', async () => {
  await using program = await startProgram('everything-http')
  using machine = openMachine()
  const servers = { there: { type: 'http', url: `${program.origin}/mcp` } }
  const count = `console.log(process.listenerCount('exit'))\n`
  const said = await host(machine, copyBuild(machine), count + openWith(servers) + `\n${count}`)
  const [before, answer, after] = said.split('\n')
  expect({ answer, after }).toEqual({ answer: 'Echo: hi', after: before })
})

test('in a bundle it says what to import in its place', async () => {
  using machine = openMachine()
  cpSync(join(DIST, 'cached.js'), machine.at('~/bundle.mjs'))
  const { code, stderr } = await machine.run([], { start: [process.execPath, machine.at('~/bundle.mjs')] })
  expect(code).toBe(1)
  expect(stderr).toContain(`library.cjs is not in ${machine.home}`)
  expect(stderr).toContain('In a bundle, import from `plugboard` instead.')
})

test('where none can be written, all else works', async () => {
  using machine = openMachine()
  const name = await leaveCache(machine, copyBuild(machine))
  using other = openMachine()
  const copy = copyBuild(other)
  // A folder in its place can neither be read nor replaced.
  mkdirSync(join(copy, name, 'in-the-way'), { recursive: true })
  expect(await host(other, copy, PROGRAM)).toBe('hi\n')
  // No draft is left either.
  expect(cachesIn(copy)).toHaveLength(1)
})

/** What `list` leaves in the build, with when it was written. */
function listCaches(build: string): Readonly<Record<string, number>> {
  const names = readdirSync(build).filter((name) => name.startsWith('plugboard-list'))
  return Object.fromEntries(names.map((name) => [name, statSync(join(build, name)).mtimeMs]))
}

test('the command has a cache for each set of flags of V8: one with others does not throw it away', async () => {
  using machine = openMachine()
  const build = copyBuild(machine)
  const list = (...flags: string[]): ReturnType<Machine['run']> =>
    machine.run(['list'], { start: [process.execPath, ...flags, join(build, 'bin.cjs')] })
  const OTHER = '--stack-trace-limit=7'
  expect([await list(), await list(OTHER)]).toMatchObject([{ code: 0 }, { code: 0 }])
  const rest = `${VERSION}-${process.version}-${process.arch}.cache`
  const left = listCaches(build)
  const names = Object.keys(left)
  expect(names).toHaveLength(2)
  expect(names).toContain(`plugboard-list-${rest}`)
  expect(names).toContainEqual(expect.stringMatching(new RegExp(`^plugboard-list-\\d+-${rest}$`)))
  await list()
  await list(OTHER)
  // Those that are Node's alone take what is there.
  await list('--no-warnings')
  expect(listCaches(build)).toEqual(left)
  await machine.run(['list'], {
    start: [process.execPath, join(build, 'bin.cjs')],
    env: { NODE_OPTIONS: OTHER },
  })
  expect(listCaches(build)).toEqual(left)
})

test('flags of all kinds do not fill the folder with caches of the command', async () => {
  using machine = openMachine()
  const build = copyBuild(machine)
  for (let count = 0; count < 40; count++) writeFileSync(join(build, `plugboard-any-${count}.cache`), '')
  const start = [process.execPath, '--stack-trace-limit=7', join(build, 'bin.cjs')]
  expect(await machine.run(['list'], { start })).toMatchObject({ code: 0 })
  expect(readdirSync(build).filter((name) => name.endsWith('.cache'))).toHaveLength(40)
})
