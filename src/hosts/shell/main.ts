/** main: the entry points of the shell for the command. */
import type { CommandModule } from '../shared/context.ts'

export const headless: CommandModule = {
  run: async (context) => (await import('./headless.ts')).runHeadless(context),
}

export const shell: CommandModule = {
  run: async (context) => (await import('./shell.ts')).runShell(context),
}

export const demo: CommandModule = {
  run: async (context) => (await import('./demo/run.ts')).runDemo(context),
}
