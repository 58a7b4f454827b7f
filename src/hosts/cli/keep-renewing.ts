/**
 * keep-renewing: reloads certificates that change while a gateway runs.
 *
 * in     the files; a change of them, or a SIGHUP
 * out    the gateway uses the new certificate; or a message why not, and the old one stays
 */
import type { OpenServing } from '../shared/gateway-host.ts'
import type { CommandContext } from './command.ts'
import { readTls, type TlsFiles } from './serve-options.ts'

/** Call the returned function to stop. */
export async function keepRenewing(
  { terminal, world }: CommandContext,
  serving: Pick<OpenServing, 'renew'>,
  files: TlsFiles,
): Promise<() => void> {
  let last = JSON.stringify(readTls(world, files))
  const renew = (): void => {
    try {
      const tls = readTls(world, files)
      const now = JSON.stringify(tls)
      if (now === last) return
      serving.renew(tls)
      last = now
      terminal.err('the certificate is another one now\n')
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      terminal.err(`warning: the new certificate is not used, the old one stays: ${words}\n`)
    }
  }
  terminal.onHangup?.(renew)
  return world.files.watch({ files: [files.cert, files.key], folders: [] }, renew)
}
