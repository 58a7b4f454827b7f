/**
 * adding: the commands that add servers, here or in another agent's file. They share one module so that the build can
 * separate them, with their dependencies, from the commands that only read files.
 */
import type { CommandModule } from './command.ts'
import { run as runAddFrom } from './commands/add-from.ts'
import { run as runAddJson } from './commands/add-json.ts'
import { run as runAdd } from './commands/add.ts'
import { runConnect, runDisconnect } from './commands/connect.ts'
import { run as runExport } from './commands/export.ts'
import { run as runImport } from './commands/import.ts'
import { run as runInstall } from './commands/install.ts'
import { run as runSearch } from './commands/search.ts'

export const add: CommandModule = { run: runAdd }
export const addJson: CommandModule = { run: runAddJson }
export const install: CommandModule = { run: runInstall }
export const search: CommandModule = { run: runSearch }
export const addFrom: CommandModule = { run: runAddFrom }
export const importServers: CommandModule = { run: runImport }
export const exportServers: CommandModule = { run: runExport }
export const connect: CommandModule = { run: runConnect }
export const disconnect: CommandModule = { run: runDisconnect }
