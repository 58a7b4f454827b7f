/**
 * managing: the commands that change existing servers. They share one module so that the build can separate them, with
 * their dependencies, from the commands that only read files.
 */
import type { CommandModule } from './command.ts'
import { run as runEdit } from './commands/edit.ts'
import { run as runRemove } from './commands/remove.ts'
import { run as runRename } from './commands/rename.ts'
import { turn } from './commands/switch.ts'

export const remove: CommandModule = { run: runRemove }
export const rename: CommandModule = { run: runRename }
export const enable: CommandModule = { run: (context) => turn(context, 'on') }
export const disable: CommandModule = { run: (context) => turn(context, 'off') }
export const edit: CommandModule = { run: runEdit }
