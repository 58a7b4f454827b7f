/**
 * ide: the servers that editor extensions run, which may be on the Windows side of the same machine.
 */
import type { Secret } from '../../base/secret.ts'
import type { IdeTransport } from '../../model/definition.ts'
import { tryUrl } from '../../model/signature.ts'
import type { World } from '../../world/world.ts'
import { fillWhole, mapLaunchValue } from './fill.ts'
import { lookUp, type Job } from './job.ts'
import { putHeader, resolveUrl, type Remote } from './remote.ts'

/** The header in which the extensions expect their token. */
const TOKEN_HEADER = 'X-Claude-Code-Ide-Authorization'

export function resolveIde(job: Job, transport: IdeTransport): Remote {
  const { world } = job.context
  const { url, login } = resolveUrl(job, transport.url)
  const isAcross = transport.ideRunningInWindows === true && findDistro(world) !== undefined
  const headers = new Map<string, Secret>()
  if (login !== undefined) putHeader(job, headers, ['Authorization', login])
  const { authToken } = transport
  const token = authToken === undefined ? undefined : fillWhole(job, authToken, { name: 'authToken' })
  if (token !== undefined) putHeader(job, headers, [TOKEN_HEADER, token.text])
  return { url: isAcross ? mapLaunchValue(url, (text) => acrossToWindows(world, text)) : url, headers }
}

/** The name of the distribution under WSL; undefined elsewhere. */
export function findDistro({ platform, env }: Pick<World, 'platform' | 'env'>): string | undefined {
  return platform === 'linux' ? lookUp(env, 'WSL_DISTRO_NAME') : undefined
}

/** Replaces `localhost` of Windows as seen from WSL. Unless a setting says otherwise, the two share one network. */
function acrossToWindows(world: World, text: string): string {
  const url = tryUrl(text)
  const host = findWindowsHost(world)
  if (url === undefined || host === undefined || !/^(?:localhost|127\.0\.0\.1)$/.test(url.hostname))
    return text
  url.hostname = host
  return url.href
}

function findWindowsHost({ files }: World): string | undefined {
  const read = files.read('/etc/resolv.conf')
  const host = read.kind === 'text' ? /^\s*nameserver\s+([\d.]+)\s*$/m.exec(read.text)?.[1] : undefined
  // Newer versions of WSL tunnel DNS through their own address, which is not the host's.
  return host === '10.255.255.254' || host?.startsWith('127.') === true ? undefined : host
}
