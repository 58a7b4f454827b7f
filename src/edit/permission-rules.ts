/**
 * permission-rules: a rule about calls put into, or taken out of, what settings say.
 *
 * in     what the file says now
 * out    the changes that make it so, and what they come to; none, where it is so already
 *
 * Settings whose `permissions` or `rules` are not what they should be are refused by the editor, which knows the place.
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

/** A rule for the same glob is changed in its place; a reason that it has stays, unless there is a new one. */
export function planPutRules(value: ObjectValue, wanted: readonly WrittenRule[]): Plan<readonly PutRule[]> {
  const rules = [...rulesIn(value)]
  const plans = wanted.map((rule) => {
    const plan = planPutRule(rules, rule)
    // Each looks at what the ones before have made of the list.
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

/** `done` is how many go. */
export function planRemoveRules(value: ObjectValue, isUnwanted: (tool: string) => boolean): Plan<number> {
  const places = rulesIn(value).flatMap((rule, i) => {
    const tool = toolOf(rule)
    return tool !== undefined && isUnwanted(tool) ? [i] : []
  })
  // From the last on, so that the places of the others stay true.
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
