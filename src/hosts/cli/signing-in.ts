/**
 * signing-in: the commands about signing in. They share one module so that the build can separate them from the others.
 */
import type { CommandModule } from './command.ts'
import { run as runStatus } from './commands/auth/status.ts'
import { run as runLogin } from './commands/login.ts'
import { run as runLogout } from './commands/logout.ts'

export const login: CommandModule = { run: runLogin }
export const logout: CommandModule = { run: runLogout }
export const status: CommandModule = { run: runStatus }
