/**
 * main: the ways into the shell that the command knows.
 */
import type { CommandModule } from '../shared/context.ts'
import { runDemo } from './demo/run.ts'
import { runHeadless } from './headless.ts'
import { runShell } from './shell.ts'

export const headless: CommandModule = { run: runHeadless }

export const shell: CommandModule = { run: (context) => runShell(context) }

export const demo: CommandModule = { run: runDemo }
