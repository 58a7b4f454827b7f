/**
 * serving: the commands about the gateway.
 */
import type { CommandModule } from '../command.ts'
import { run as runServe } from '../commands/serve.ts'
import { run as runStatus } from '../commands/status.ts'
import { run as runStop } from '../commands/stop.ts'
import { run as runAddToken } from '../commands/token/add.ts'
import { run as runListTokens } from '../commands/token/list.ts'
import { run as runRemoveToken } from '../commands/token/remove.ts'

export const addToken: CommandModule = { run: runAddToken }
export const listTokens: CommandModule = { run: runListTokens }
export const removeToken: CommandModule = { run: runRemoveToken }
export const serve: CommandModule = { run: runServe }
export const status: CommandModule = { run: runStatus }
export const stop: CommandModule = { run: runStop }
