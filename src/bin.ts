#!/usr/bin/env node
/**
 * bin: the `plugboard` command. Everything it touches of the outside is made here.
 */
import { rememberSecrets } from './base/secret.ts'
import type { CrashedRequest } from './hosts/cli/crash.ts'
import { runCli } from './hosts/cli/run-cli.ts'
import { createNodeTerminal } from './world/node/terminal.ts'
import { createNodeWorld } from './world/node/world.ts'

/** Put in by the build. The underscores say that it is no variable. */
// oxlint-disable-next-line no-underscore-dangle
declare const __PLUGBOARD_VERSION__: string | undefined

const version = typeof __PLUGBOARD_VERSION__ === 'undefined' ? '0.0.0-dev' : __PLUGBOARD_VERSION__

async function main(): Promise<void> {
  const terminal = createNodeTerminal()
  const request = { argv: process.argv.slice(2), world: createNodeWorld(), terminal, version }
  // What is thrown where nobody waits for it is a bug as well; Node would print it with all that it holds.
  rememberSecrets()
  process.on('uncaughtException', (error: unknown) => void end(error, request))
  process.exitCode = await runCli({
    ...request,
    hosts: {
      headless: async () => (await import('./hosts/shell/main.ts')).headless,
      shell: async () => (await import('./hosts/shell/main.ts')).shell,
      demo: async () => (await import('./hosts/shell/main.ts')).demo,
    },
    gateway: async () => import('./hosts/gateway/serve.ts'),
    daemon: async () => import('./hosts/gateway/daemon.ts'),
  })
  // At once: Node would first take its heap apart, for which nobody should wait.
  if (!terminal.isWriting()) process.exit()
}

async function end(error: unknown, request: CrashedRequest): Promise<never> {
  // Before anything is written: who finds the reader of stderr gone exits with what stands here.
  process.exitCode = 1
  try {
    const { crash } = await import('./hosts/cli/crash.ts')
    process.exit(crash(error, request))
  } catch {
    // A report that cannot be written, as on a full disk, would be the next crash to report, and so on for ever.
    process.exit(1)
  }
}

void main()
