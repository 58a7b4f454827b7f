/**
 * main: the ways into the shell that the command knows.
 */
import type { CommandModule } from '../shared/context.ts'
import { runHeadless } from './headless.ts'

export const headless: CommandModule = { run: runHeadless }
