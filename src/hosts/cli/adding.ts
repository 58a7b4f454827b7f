/**
 * adding: the commands that add servers. One module, so that the build can keep them, and all they need, apart from the
 * commands that only read files.
 */
import type { CommandModule } from './command.ts'
import { run as runAddJson } from './commands/add-json.ts'
import { run as runAdd } from './commands/add.ts'

export const add: CommandModule = { run: runAdd }
export const addJson: CommandModule = { run: runAddJson }
