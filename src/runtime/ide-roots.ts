/**
 * ide-roots: folders in the spelling of an editor that runs on the Windows side of the same machine.
 */
import type { AdmittedServer } from '../model/catalog.ts'
import type { Params } from '../model/message.ts'
import type { ClientHandlers } from '../model/session.ts'
import { findDistro } from '../pipeline/resolve/ide.ts'
import { toWindowsPath } from '../pipeline/resolve/windows-paths.ts'
import type { World } from '../world/world.ts'

/** The host's handlers, for this server. */
export function forIde(
  { transport }: AdmittedServer,
  handlers: ClientHandlers,
  world: Pick<World, 'platform' | 'env'>,
): ClientHandlers {
  const { roots } = handlers
  const distro = findDistro(world)
  const isAcross = 'ideRunningInWindows' in transport && transport.ideRunningInWindows === true
  if (roots === undefined || distro === undefined || !isAcross) return handlers
  const toWindows = (root: Params): Params => toWindowsRoot(root, distro)
  return { ...handlers, roots: async (context) => (await roots(context)).map(toWindows) }
}

function toWindowsRoot(root: Params, distro: string): Params {
  const { uri } = root
  if (typeof uri !== 'string' || !uri.startsWith('file:///')) return root
  const path = toWindowsPath(decodeURIComponent(uri.slice('file://'.length)), distro).replaceAll('\\', '/')
  return { ...root, uri: encodeURI(path.startsWith('//') ? `file:${path}` : `file:///${path}`) }
}
