/**
 * permission-rules: adds rules about calls to the settings, or removes them.
 *
 * in     the current value of the file
 * out    the changes, and their effect; none, where nothing must change
 *
 * The editor refuses settings whose `permissions` or `rules` have the wrong shape, because it knows the position.
 */
import type { Action } from '../model/permission.ts'
import { isListValue, isObjectValue, valueAt, type Change, type ObjectValue, type Value } from './change.ts'

export interface WrittenRule {
  readonly tool: string
  readonly action: Action
  readonly reason?: string
}

export interface Plan<T> {
  readonly changes: readonly Change[]
  readonly done: T
}

const RULES = ['permissions', 'rules'] as const

export type PutRule = 'added' | 'changed' | 'there already'

/** Replaces a rule for the same glob. Its reason stays, unless there is a new one. */
export function planPutRules(value: ObjectValue, wanted: readonly WrittenRule[]): Plan<readonly PutRule[]> {
  const rules = [...rulesIn(value)]
  const plans = wanted.map((rule) => {
    const plan = planPutRule(rules, rule)
    // Each plan starts from the list that the earlier ones made.
    rules.splice(plan.at, 1, { ...(rules[plan.at] as object), ...rule })
    return plan
  })
  return { changes: plans.flatMap(({ changes }) => changes), done: plans.map(({ done }) => done) }
}

function planPutRule(
  rules: readonly Value[],
  { tool, action, reason }: WrittenRule,
): Plan<PutRule> & { readonly at: number } {
  const written = reason === undefined ? { action } : { action, reason }
  const at = rules.findIndex((rule) => toolOf(rule) === tool)
  const end = rules.length
  if (at === -1)
    return {
      changes: [{ kind: 'set', path: [...RULES, end], value: { tool, ...written } }],
      done: 'added',
      at: end,
    }
  const changes = Object.entries(written)
    .filter(([key, one]) => valueAt(rules[at], [key]) !== one)
    .map(([key, one]): Change => ({ kind: 'set', path: [...RULES, at, key], value: one }))
  return { changes, done: changes.length === 0 ? 'there already' : 'changed', at }
}

/** `done` is the number of removed rules. */
export function planRemoveRules(value: ObjectValue, isUnwanted: (tool: string) => boolean): Plan<number> {
  const places = rulesIn(value).flatMap((rule, i) => {
    const tool = toolOf(rule)
    return tool !== undefined && isUnwanted(tool) ? [i] : []
  })
  // From the last on, so that the other indexes stay valid.
  const changes = places.toReversed().map((i): Change => ({ kind: 'remove', path: [...RULES, i] }))
  return { changes, done: changes.length }
}

function rulesIn(value: ObjectValue): readonly Value[] {
  const rules = valueAt(value, RULES)
  return isListValue(rules) ? rules : []
}

function toolOf(rule: Value): string | undefined {
  const tool = isObjectValue(rule) ? valueAt(rule, ['tool']) : undefined
  return typeof tool === 'string' ? tool : undefined
}
