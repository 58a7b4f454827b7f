/**
 * signing-in: the commands about signing in. One module, so that the build can keep them apart from the others.
 */
import type { CommandModule } from './command.ts'
import { run as runLogin } from './commands/login.ts'

export const login: CommandModule = { run: runLogin }
