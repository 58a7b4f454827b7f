/**
 * scratch: the real World, on a home and a project of its own that vanish with the test.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createNodeWorld } from '../../src/world/node/world.ts'
import type { World } from '../../src/world/world.ts'
import { noteFiles } from '../leaks/printed.ts'
import { NO_KEYCHAIN } from './memory.ts'

export interface Scratch extends Disposable {
  readonly world: World
  readonly home: string
  readonly project: string
  /** A path below the scratch folder, such as `home/.cursor/mcp.json`. */
  write(path: string, text: string): void
}

export function createScratch(env: Readonly<Record<string, string>> = {}): Scratch {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-test-')))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  for (const part of [home, project]) mkdirSync(part)
  const written = new Set<string>()
  const own = { PATH: process.env['PATH'] ?? '', ...env }
  return {
    // A test leaves nothing in the keychain of whoever runs it.
    world: { ...createNodeWorld({ cwd: project, env: own }), home, keychain: NO_KEYCHAIN },
    home,
    project,
    write(path, text) {
      written.add(join(folder, path))
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
    [Symbol.dispose]() {
      noteFiles(folder, (file) => written.has(file))
      rmSync(folder, { recursive: true })
    },
  }
}
