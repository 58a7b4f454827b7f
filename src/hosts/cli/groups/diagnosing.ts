/**
 * diagnosing: the commands that look for what is wrong, or for what changes.
 */
import type { CommandModule } from '../command.ts'
import { run as runDoctor } from '../commands/doctor.ts'
import { run as runWatch } from '../commands/watch.ts'

export const doctor: CommandModule = { run: runDoctor }
export const watch: CommandModule = { run: runWatch }
