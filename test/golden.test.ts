/**
 * golden: whole machines in small. Each case is a home and a project as users have them, and the fate of every entry.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { toDefinitionJson } from '../src/runtime/definition-json.ts'
import type { CatalogEntry } from '../src/model/catalog.ts'
import type { Spot } from '../src/model/origin.ts'
import type { Problem } from '../src/model/problem.ts'
import { loadCatalog } from '../src/runtime/load-catalog.ts'
import { decide, requireQuestions } from '../src/runtime/trust.ts'
import { createGoldenWorld, GOLDEN, GOLDEN_NAMES, readCase, readJson } from './worlds/golden.ts'
import { PROJECTS, type MemoryWorld } from './worlds/memory.ts'

describe('golden', () => {
  test.each(GOLDEN_NAMES)('%s', async (name) => {
    const folder = join(GOLDEN, name)
    const given = readCase(name)
    const world = createGoldenWorld(name)
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
      .filter((name) => !GOLDEN_NAMES.includes(name))
    expect(missing).toEqual([])
  })
})

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
