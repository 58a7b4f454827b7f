/**
 * compile-cache: what Node compiles from now on is kept for the next run, where Node can do that (from 22.1 on).
 *
 * never  writes outside of the user's cache folder; runs code from a folder that others can write to
 */
import { mkdirSync } from 'node:fs'
import { cacheFolderOf } from '../gateway-place.ts'
import { isPrivateFolder } from './own-folder.ts'
import { findUser } from './user.ts'

/** Node 20, whose types we have, does not know it. */
interface NodeModule {
  readonly enableCompileCache?: ((folder: string) => unknown) | undefined
}

export function keepCompiledCode(): void {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as NodeModule
  const user = findUser()
  if (enableCompileCache === undefined || user === undefined) return
  const folder = user.paths.join(cacheFolderOf(user), 'compiled')
  if (makePrivateFolder(folder)) enableCompileCache(folder)
}

function makePrivateFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isPrivateFolder(folder)
  } catch {
    return false // no room, or not ours to write: everything is compiled anew, and works
  }
}
