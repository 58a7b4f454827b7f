/**
 * world: the real one.
 */
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import type { Platform, World } from '../world.ts'
import { nodeFiles } from './files.ts'
import { nodeShell } from './shell.ts'
import { nodeWeb } from './web.ts'

export function createNodeWorld(options: { readonly cwd?: string | undefined } = {}): World {
  const platform = toPlatform(process.platform)
  const paths = platform === 'win32' ? win32 : posix
  return {
    platform,
    paths,
    env: process.env,
    home: homedir(),
    cwd: paths.resolve(options.cwd ?? findCwd()),
    files: nodeFiles,
    clock: { now: Date.now },
    web: nodeWeb,
    shell: nodeShell,
  }
}

/** Other systems follow the rules of Linux. */
function toPlatform(name: NodeJS.Platform): Platform {
  return name === 'win32' || name === 'darwin' ? name : 'linux'
}

/** The folder may be gone; then its name still serves, and there is simply nothing in it. */
function findCwd(): string {
  try {
    return process.cwd()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return process.env['PWD'] ?? homedir()
  }
}
