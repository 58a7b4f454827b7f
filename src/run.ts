/**
 * run: a line of the `plugboard` command, carried out. Everything it touches of the outside is made here.
 */
import { rememberSecrets } from './base/secret.ts'
import { crash, type CrashedRequest } from './hosts/cli/crash.ts'
import { runCli, type CliRequest } from './hosts/cli/run-cli.ts'
import { createNodeWorld } from './world/node/world.ts'

/** Gives the exit code. */
export function run(line: Pick<CliRequest, 'argv' | 'terminal' | 'version'>): Promise<number> {
  const request = { ...line, world: createNodeWorld() }
  // An error that no caller catches is a bug as well; Node would print it with all that it holds.
  rememberSecrets()
  process.on('uncaughtException', (error: unknown) => end(error, request))
  return runCli({
    ...request,
    hosts: {
      headless: async () => (await import('./hosts/shell/main.ts')).headless,
      shell: async () => (await import('./hosts/shell/main.ts')).shell,
      demo: async () => (await import('./hosts/shell/main.ts')).demo,
    },
    gateway: async () => (await import('./hosts/gateway/main.ts')).gateway,
  })
}

function end(error: unknown, request: CrashedRequest): never {
  // Before anything is written: where the reader of stderr is gone, the process exits with this code.
  process.exitCode = 1
  try {
    process.exit(crash(error, request))
  } catch {
    // A report that cannot be written, as on a full disk, would be the next crash to report, and so on for ever.
    process.exit(1)
  }
}
