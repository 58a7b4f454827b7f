/**
 * build: what scripts/build.mjs makes of src/, looked at file by file.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DIST } from './processes/plugboard.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface SourceMap {
  readonly sources: readonly string[]
}

let folder: string
/** Paths below the folder, of scripts and maps. */
let files: readonly string[]

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-build-'))
  execFileSync(process.execPath, ['scripts/build.mjs', '--traced', folder], { cwd: ROOT })
  files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
})

afterAll(() => rmSync(folder, { recursive: true }))

/** Which modules of src/ and of packages each script is made of. */
function modulesOf(file: string): readonly string[] {
  const { sources } = JSON.parse(readFileSync(join(folder, `${file}.map`), 'utf8')) as SourceMap
  return sources.map((source) => relative(ROOT, resolve(folder, dirname(file), source)))
}

const withMap = (): readonly string[] => files.filter((file) => files.includes(`${file}.map`))

describe('the build', () => {
  test('has every module in one file, so that no process can load one twice', () => {
    const homes = new Map<string, string[]>()
    for (const file of withMap())
      for (const module of modulesOf(file)) homes.set(module, [...(homes.get(module) ?? []), file])
    expect(homes.size).toBeGreaterThan(500)
    expect([...homes].filter(([, where]) => where.length > 1)).toEqual([])
  })

  test('is at most 40 files', () => {
    expect(files.filter((file) => file.endsWith('.js')).length).toBeLessThanOrEqual(40)
  })

  test('has undici inside, for which Bun would put a package of its own', () => {
    const everything = withMap().flatMap(modulesOf)
    expect(everything.some((module) => module.includes('node_modules/undici/lib/'))).toBe(true)
  })

  test('leaves to Node only its own modules, a few packages, and what adapters are for', () => {
    const imported = new Set(readScripts(DIST).flatMap(({ text }) => importsIn(text)))
    expect([...imported].filter((name) => !name.startsWith('.') && !isBuiltin(name)).sort()).toEqual([
      '@clack/prompts',
      '@langchain/core/messages',
      '@langchain/core/tools',
      '@modelcontextprotocol/client',
      '@napi-rs/keyring',
      'ai',
      // Nothing, in place of a debugger that Ink asks for.
      'data:text/javascript,',
    ])
  })

  test('has no entry point in a file that others import', () => {
    const entries = ['src/bin.ts', 'src/index.ts']
    const homes = withMap().filter((file) => modulesOf(file).some((module) => entries.includes(module)))
    expect(homes.sort()).toEqual(['bin.js', 'index.js'])
  })
})

function readScripts(dist: string): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => ({ file, text: readFileSync(join(dist, file), 'utf8') }))
}

/** Static and dynamic ones, as the build writes them. */
function importsIn(text: string): readonly string[] {
  const found = text.matchAll(/\bimport\(\s*[`"]([^`"]+)[`"]\s*\)|(?:^|[;}*/\n])import[^()`"]*?"([^"]+)"/g)
  return [...found].map(([, dynamic, plain]) => dynamic ?? plain!)
}
