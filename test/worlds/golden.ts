/**
 * golden: the machines of test/golden, each as a World in memory.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoadOptions } from '../../src/runtime/load-catalog.ts'
import type { Platform } from '../../src/world/world.ts'
import { createMemoryWorld, HOMES, PROJECTS, type MemoryWorld } from './memory.ts'

export const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))

export const GOLDEN_NAMES = readdirSync(GOLDEN).filter((name) => statSync(join(GOLDEN, name)).isDirectory())

export interface Case {
  readonly platform?: Platform
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly options?: LoadOptions
  readonly approve?: readonly string[]
}

export function readCase(name: string): Case {
  return readJson(join(GOLDEN, name, 'case.json')) as Case
}

export function createGoldenWorld(name: string): MemoryWorld {
  const folder = join(GOLDEN, name)
  const given = readCase(name)
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

export function readJson(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
