/**
 * calling: the commands that talk to servers.
 */
import type { CommandModule } from '../command.ts'
import { run as runCall } from '../commands/call.ts'
import { run as runCheck } from '../commands/check.ts'
import { run as runLogs } from '../commands/logs.ts'
import { run as runPrompt } from '../commands/prompt.ts'
import { run as runPrompts } from '../commands/prompts.ts'
import { run as runRead } from '../commands/read.ts'
import { run as runResources } from '../commands/resources.ts'
import { run as runTest } from '../commands/test.ts'
import { run as runTools } from '../commands/tools.ts'

export const call: CommandModule = { run: runCall }
export const check: CommandModule = { run: runCheck }
export const logs: CommandModule = { run: runLogs }
export const prompt: CommandModule = { run: runPrompt }
export const prompts: CommandModule = { run: runPrompts }
export const read: CommandModule = { run: runRead }
export const resources: CommandModule = { run: runResources }
export const test: CommandModule = { run: runTest }
export const tools: CommandModule = { run: runTools }
