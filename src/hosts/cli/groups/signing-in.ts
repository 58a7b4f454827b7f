/**
 * signing-in: the commands about sign-ins.
 */
import type { CommandModule } from '../command.ts'
import { run as runAuthStatus } from '../commands/auth/status.ts'
import { run as runLogin } from '../commands/login.ts'
import { run as runLogout } from '../commands/logout.ts'

export const authStatus: CommandModule = { run: runAuthStatus }
export const login: CommandModule = { run: runLogin }
export const logout: CommandModule = { run: runLogout }
