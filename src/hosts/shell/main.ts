/**
 * main: the ways into the shell that the command knows.
 */
import type { CommandModule } from '../shared/context.ts'
import { runDemo } from './demo/run.ts'
import { runHeadless } from './headless.ts'

export const headless: CommandModule = { run: runHeadless }
export const demo: CommandModule = { run: runDemo }
