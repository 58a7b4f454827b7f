/**
 * permitting: the commands about which tools may be called.
 */
import type { CommandModule } from '../command.ts'
import { run as runExplain } from '../commands/permissions/explain.ts'
import { run as runList } from '../commands/permissions/list.ts'
import { run as runReset } from '../commands/permissions/reset.ts'
import { writeAs } from '../commands/permissions/write.ts'
import { run as runAccept } from '../commands/pins/accept.ts'
import { run as runDiff } from '../commands/pins/diff.ts'
import { run as runForget } from '../commands/pins/forget.ts'
import { run as runPins } from '../commands/pins/list.ts'

export const allow: CommandModule = { run: writeAs('allow') }
export const ask: CommandModule = { run: writeAs('ask') }
export const deny: CommandModule = { run: writeAs('deny') }
export const accept: CommandModule = { run: runAccept }
export const diff: CommandModule = { run: runDiff }
export const explain: CommandModule = { run: runExplain }
export const forget: CommandModule = { run: runForget }
export const list: CommandModule = { run: runList }
export const pins: CommandModule = { run: runPins }
export const reset: CommandModule = { run: runReset }
