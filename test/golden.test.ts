/**
 * golden: whole machines in small. Each case is a home and a project as users have them, and the fate of every entry.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { toDefinitionJson } from '../src/runtime/definition-json.ts'
import type { CatalogEntry } from '../src/model/catalog.ts'
import type { Spot } from '../src/model/origin.ts'
import type { Problem } from '../src/model/problem.ts'
import { loadCatalog, type LoadOptions } from '../src/runtime/load-catalog.ts'
import { decide, requireQuestions } from '../src/runtime/trust.ts'
import type { Platform } from '../src/world/world.ts'
import { createMemoryWorld, HOMES, PROJECTS, type MemoryWorld } from './worlds/memory.ts'

const GOLDEN = fileURLToPath(new URL('golden', import.meta.url))

interface Case {
  readonly platform?: Platform
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly options?: LoadOptions
  readonly approve?: readonly string[]
}

const NAMES = readdirSync(GOLDEN).filter((name) => statSync(join(GOLDEN, name)).isDirectory())

describe('golden', () => {
  test.each(NAMES)('%s', async (name) => {
    const folder = join(GOLDEN, name)
    const given = readJson(join(folder, 'case.json')) as Case
    const world = createWorld(folder, given)
    for (const server of given.approve ?? []) {
      const loaded = await loadCatalog(world, given.options)
      await decide(world, loaded, 'approved', requireQuestions(loaded, server))
    }
    const { catalog } = await loadCatalog(world, given.options)
    const actual = {
      entries: catalog.entries.map((entry) => showEntry(entry, world)),
      problems: catalog.problems.map((problem) => showProblem(problem, world)),
    }
    expect(actual).toEqual(readJson(join(folder, 'expected.json')))
  })

  test('every source has a usual and a broken case', () => {
    const sources = readdirSync(fileURLToPath(new URL('../src/pipeline/discover/sources', import.meta.url)))
    const missing = sources
      .map((file) => file.replace(/\.ts$/, ''))
      .flatMap((source) => [`${source}-usual`, `${source}-broken`])
      .filter((name) => !NAMES.includes(name))
    expect(missing).toEqual([])
  })
})

function createWorld(folder: string, given: Case): MemoryWorld {
  const platform = given.platform ?? 'linux'
  const windows = platform === 'win32'
  const at = (base: string, path: string): string =>
    base + (windows ? `\\${path.replaceAll('/', '\\')}` : `/${path}`)
  const files: Record<string, string> = {}
  const mounts = { home: HOMES[platform], project: PROJECTS[platform], root: windows ? 'C:' : '' }
  for (const [part, base] of Object.entries(mounts)) {
    for (const [path, text] of readTree(join(folder, part))) files[at(base, path)] = text
  }
  const cwdIn = (project: string): string => (given.cwd === undefined ? project : at(project, given.cwd))
  const cwd = given.cwd === '~' ? HOMES[platform] : cwdIn(PROJECTS[platform])
  const programs = ['npx', 'node', 'uvx', 'docker'].map((program) => `/usr/bin/${program}`)
  return createMemoryWorld({ platform, cwd, files, programs, env: { PATH: '/usr/bin', ...given.env } })
}

function readTree(folder: string): [string, string][] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => [path.replace(/(^|\/)dot-git/, '$1.git'), readFileSync(join(folder, path), 'utf8')])
}

function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** One entry, compactly: enough to see every decision, little enough to write by hand. */
function showEntry({ entry, fate }: CatalogEntry, world: MemoryWorld): object {
  const { name, origin } = entry.found
  const by = 'by' in fate && fate.by !== undefined ? showDecider(fate.by, world) : undefined
  return {
    name,
    at: showSpot(origin, world),
    scope: origin.scope,
    source: origin.source,
    fate: by === undefined ? fate.kind : `${fate.kind} by ${by}`,
    ...(entry.kind === 'definition' ? { definition: toDefinitionJson(entry.definition, 'templates') } : {}),
    ...(entry.kind === 'invalid'
      ? { problems: entry.problems.map((problem) => showProblem(problem, world)) }
      : {}),
    ...(entry.kind === 'unsupported' ? { problems: [showProblem(entry.problem, world)] } : {}),
    ...(entry.warnings.length === 0
      ? {}
      : { warnings: entry.warnings.map((one) => showProblem(one, world)) }),
  }
}

function showDecider(
  by: Partial<Spot> & { readonly rule?: string; readonly name?: string },
  world: MemoryWorld,
): string {
  const { file, line, column } = by
  const spot =
    file === undefined
      ? []
      : [
          showSpot(
            { file, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) },
            world,
          ),
        ]
  return [
    ...(by.name === undefined ? [] : [by.name]),
    ...(by.rule === undefined ? [] : [by.rule]),
    ...spot,
  ].join(' ')
}

function showProblem({ code, message, where }: Problem, world: MemoryWorld): string {
  return `${code} ${where === undefined ? '' : `${showSpot(where, world)} `}${message}`
}

function showSpot({ file, line, column }: Spot, { home, platform }: MemoryWorld): string {
  const short = file.replace(home, '~').replace(PROJECTS[platform], '.').replaceAll('\\', '/')
  return [short, ...[line, column].filter((number) => number !== undefined)].join(':')
}
