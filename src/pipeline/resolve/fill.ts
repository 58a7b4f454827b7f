/**
 * fill: turns a template into its text.
 *
 * in     a template, and its field
 * out    the text, and whether any part of it came from outside its file; it reports each missing value
 * never  evaluates shell code in a value
 */
import { Secret } from '../../base/secret.ts'
import type { LaunchValue } from '../../model/launch.ts'
import { showPart, type Part, type Reference, type Template } from '../../model/template.ts'
import { lookUp, toAbsolute, type Job } from './job.ts'
import {
  commandInValue,
  inputNeeded,
  nestedDefault,
  unreadableFile,
  unsetVariable,
  type Field,
} from './problems.ts'
import { secretsIn, secretsInVariable } from './secrets.ts'

export interface Filled {
  readonly text: string
  readonly from: 'literal' | 'outside'
  /**
   * The text still has a reference. `unset`: it stays as the agent would leave it. `missing`: the value must not be
   * used.
   */
  readonly gap?: Gap
}

type Gap = 'unset' | 'missing'

export function fill(job: Job, template: Template, field: Field): Filled {
  const parts = template.map((part) => fillPart(job, part, field))
  const gaps = new Set(parts.map(({ gap }) => gap))
  const gap = gaps.has('missing') ? 'missing' : gaps.has('unset') ? 'unset' : undefined
  return {
    text: parts.map(({ text }) => text).join(''),
    from: parts.some(({ from }) => from === 'outside') ? 'outside' : 'literal',
    ...(gap === undefined ? {} : { gap }),
  }
}

/** Undefined when a value is missing, for fields that can be left out. */
export function fillWhole(job: Job, template: Template, field: Field): Filled | undefined {
  const filled = fill(job, template, field)
  return filled.gap === 'missing' ? undefined : filled
}

function fillPart(job: Job, part: Part, field: Field): Filled {
  if (typeof part === 'string') return { text: part, from: 'literal' }
  switch (part.kind) {
    case 'env':
      return fillVariable(job, part, field)
    case 'file':
      return fillFile(job, part, field)
    case 'input':
      job.problems.push(inputNeeded(job.server, field, part.id))
      return { text: showPart(part), from: 'literal', gap: 'missing' }
    case 'command':
      job.problems.push(commandInValue(job.server, field))
      return { text: showPart(part), from: 'literal' }
    case 'nested':
      job.problems.push(nestedDefault(job.server, field))
      return { text: showPart(part), from: 'literal' }
  }
}

function fillVariable(job: Job, part: Extract<Reference, { kind: 'env' }>, field: Field): Filled {
  const value = lookUp(job.context.world.env, part.name)
  if (value !== undefined) {
    job.secrets.push(...secretsInVariable(part.name, value))
    return { text: value, from: 'outside' }
  }
  if (part.fallback !== undefined) return { text: part.fallback, from: 'literal' }
  job.problems.push(unsetVariable(job.server, field, part.name))
  return { text: showPart(part), from: 'literal', gap: 'unset' }
}

function fillFile(job: Job, part: Extract<Reference, { kind: 'file' }>, field: Field): Filled {
  const path = toAbsolute(job, part.path)
  const read = job.context.world.files.read(path)
  if (read.kind !== 'text') {
    job.problems.push(unreadableFile(job.server, field, { path, read }))
    return { text: showPart(part), from: 'literal', gap: 'missing' }
  }
  const text = read.text.replace(/(?:\r?\n)+$/, '')
  // A user who keeps a value in a separate file wants to hide it.
  job.secrets.push(...secretsIn(text))
  return { text, from: 'outside' }
}

/** Wrapped if it came from outside, or holds a secret. */
export function toLaunchValue({ text, from }: Filled, secrets: readonly string[]): LaunchValue {
  return from === 'literal' && secrets.length === 0 ? text : new Secret(text)
}

export function mapLaunchValue(value: LaunchValue, step: (text: string) => string): LaunchValue {
  return typeof value === 'string' ? step(value) : new Secret(step(value.reveal()))
}
