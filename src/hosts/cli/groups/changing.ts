/**
 * changing: the commands that change which servers there are, here or in another agent’s file.
 */
import type { CommandModule } from '../command.ts'
import { run as runAddFrom } from '../commands/add-from.ts'
import { run as runAddJson } from '../commands/add-json.ts'
import { run as runAdd } from '../commands/add.ts'
import { runConnect, runDisconnect } from '../commands/connect.ts'
import { run as runEdit } from '../commands/edit.ts'
import { run as runExportServers } from '../commands/export.ts'
import { run as runImportServers } from '../commands/import.ts'
import { run as runInstall } from '../commands/install.ts'
import { run as runRemove } from '../commands/remove.ts'
import { run as runRename } from '../commands/rename.ts'
import { run as runSearch } from '../commands/search.ts'
import { turn } from '../commands/switch.ts'

export const connect: CommandModule = { run: runConnect }
export const disconnect: CommandModule = { run: runDisconnect }
export const enable: CommandModule = { run: (context) => turn(context, 'on') }
export const disable: CommandModule = { run: (context) => turn(context, 'off') }
export const add: CommandModule = { run: runAdd }
export const addFrom: CommandModule = { run: runAddFrom }
export const addJson: CommandModule = { run: runAddJson }
export const edit: CommandModule = { run: runEdit }
export const exportServers: CommandModule = { run: runExportServers }
export const importServers: CommandModule = { run: runImportServers }
export const install: CommandModule = { run: runInstall }
export const remove: CommandModule = { run: runRemove }
export const rename: CommandModule = { run: runRename }
export const search: CommandModule = { run: runSearch }
