/**
 * reading: the commands that only read files, and decide about them.
 */
import type { CommandModule } from '../command.ts'
import { run as runCompletion } from '../commands/completion.ts'
import { run as runExplain } from '../commands/explain.ts'
import { run as runGet } from '../commands/get.ts'
import { run as runList } from '../commands/list.ts'
import { run as runSources } from '../commands/sources.ts'
import { run as runApprove } from '../commands/trust/approve.ts'
import { run as runDecline } from '../commands/trust/decline.ts'
import { run as runListApprovals } from '../commands/trust/list.ts'
import { run as runResetTrust } from '../commands/trust/reset.ts'

export const approve: CommandModule = { run: runApprove }
export const completion: CommandModule = { run: runCompletion }
export const decline: CommandModule = { run: runDecline }
export const explain: CommandModule = { run: runExplain }
export const get: CommandModule = { run: runGet }
export const list: CommandModule = { run: runList }
export const listApprovals: CommandModule = { run: runListApprovals }
export const resetTrust: CommandModule = { run: runResetTrust }
export const sources: CommandModule = { run: runSources }
