/**
 * values: fills in the variables and headers of a definition.
 *
 * in     a map of templates
 * out    the value of each; a missing value is undefined and reported
 * never  runs anything for a definition whose dialect has no such values
 */
import type { Template } from '../../model/template.ts'
import type { ShellOutcome } from '../../world/world.ts'
import { fillWhole, type Filled } from './fill.ts'
import { lookUp, mapAtOnce, type Job } from './job.ts'
import { valueCommandFailed, type Field } from './problems.ts'
import { secretsIn, secretsInVariable } from './secrets.ts'
import { hasAnswer } from './value-cache.ts'

export const COMMAND_LIMIT_MS = 10_000

/** In the written order, without the missing values. */
export async function resolveMap(
  job: Job,
  map: ReadonlyMap<string, Template>,
  name: 'env' | 'headers',
): Promise<readonly (readonly [string, Filled])[]> {
  const values = await mapAtOnce(job, map, async (own, [key, template]) => {
    const value = await resolveValue(own, template, { name, key })
    return value === undefined ? undefined : ([key, value] as const)
  })
  return values.filter((one) => one !== undefined)
}

async function resolveValue(job: Job, template: Template, field: Field): Promise<Filled | undefined> {
  const filled = fillWhole(job, template, field)
  if (filled === undefined || job.server.values === 'literal') return filled
  if (isCommand(template)) return runValueCommand(job, filled.text.slice(1), field)
  const value = filled.gap === undefined ? lookUp(job.context.world.env, filled.text) : undefined
  if (value === undefined) return filled
  job.secrets.push(...secretsInVariable(filled.text, value))
  return { text: value, from: 'outside' }
}

/**
 * The mark must be in the file itself, where the user saw it at the approval. The value of a variable, or the default
 * of a reference, is never a command, even if it begins with the mark.
 */
export function isCommand([first]: Template): boolean {
  return typeof first === 'string' && first.startsWith('!')
}

async function runValueCommand(job: Job, command: string, field: Field): Promise<Filled | undefined> {
  const cwd = commandFolder(job)
  const outcome = await job.context.cache.get(`${cwd}\0${command}`, () => run(job, command))
  if (!hasAnswer(outcome)) {
    job.problems.push(valueCommandFailed(job.server, field, { outcome, cwd, limitMs: COMMAND_LIMIT_MS }))
    return undefined
  }
  const text = outcome.stdout.trim()
  job.secrets.push(...secretsIn(text))
  return { text, from: 'outside' }
}

/** Never rejects: a shell that cannot start is an outcome, too. */
export async function run(
  job: Job,
  command: string,
  env?: Readonly<Record<string, string>>,
): Promise<ShellOutcome> {
  const options = {
    cwd: commandFolder(job),
    timeoutMs: COMMAND_LIMIT_MS,
    env: { ...job.context.world.env, ...env },
  }
  try {
    return await job.context.world.shell.run(command, options)
  } catch (error) {
    return { stdout: '', stderr: error instanceof Error ? error.message : String(error), timedOut: false }
  }
}

/**
 * The folder in which a command of this entry runs. For the user's own entries it is not the project: a relative
 * program would be taken from the current repository.
 */
export function commandFolder({ server, context }: Job): string {
  const { scope } = server.found.origin
  return scope === 'project' || scope === 'plugin' ? server.found.baseDir : context.world.home
}
