/**
 * folder-trust: whether the user trusts the folder of the project, and how the user decides that.
 *
 * in     the project, the decisions on file, the option of the host
 * out    a FolderTrust; a decision goes to disk and counts from the next load on
 * never  trusts a folder by itself when the folder or its `.git` belongs to another user
 */
import type { Project } from '../model/project.ts'
import type { FolderDecision, FolderTrust, TrustStore } from '../model/trust.ts'
import { isInside } from '../world/is-inside.ts'
import type { World } from '../world/world.ts'
import type { OurDirs } from '../pipeline/discover/project.ts'
import { trustFile, updateTrust } from './trust-store.ts'

export function findFolderTrust(
  world: World,
  project: Project,
  { store, isTrustedByHost }: { readonly store: TrustStore; readonly isTrustedByHost: boolean },
): FolderTrust {
  const { root, realRoot } = project
  const foreign = [root, world.paths.join(root, '.git')].find((path) => world.files.isForeign(path))
  // The home folder belongs to the user, and programs read its files anyway.
  const home = world.files.realPath(world.home)
  const isHome = realRoot === home && foreign === undefined
  const decided = store.folders.get(realRoot)?.decision
  return {
    path: realRoot,
    names: isInside(world.paths, realRoot, home) ? [] : [...new Set([root, realRoot])],
    decision: isTrustedByHost ? 'trusted' : (decided ?? (isHome ? 'trusted' : 'unknown')),
    ...(foreign === undefined ? {} : { foreign }),
  }
}

export async function decideFolder(
  world: World,
  { project, dirs }: { readonly project: Project; readonly dirs: OurDirs },
  decision: FolderDecision['decision'],
): Promise<void> {
  const at = new Date(world.clock.now()).toISOString()
  await updateTrust(world, trustFile(world, dirs), ({ folders }) => {
    folders.set(project.realRoot, { decision, at })
  })
}
