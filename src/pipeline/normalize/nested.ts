/**
 * nested: readers for fields that are objects, `oauth` and `auth`.
 */
import type { Auth, OAuth } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'
import {
  setField,
  templateIn,
  type Draft,
  type DraftFields,
  type Field,
  type FieldReader,
  type Mutable,
} from './draft.ts'
import { innerField, scalarText } from './fields.ts'
import { badValue, notKnown, wrongType } from './problems.ts'

/** Puts a value into the target. For a wrong value, it returns what the value must be. */
export type Setter<T> = (target: T, field: Field, draft: Draft) => string | undefined

export function oauth(setters: Readonly<Record<string, Setter<Mutable<OAuth>>>>): FieldReader {
  return nested<Mutable<OAuth>>('oauth', () => ({}), setters)
}

export function auth(setters: Readonly<Record<string, Setter<Mutable<Auth>>>>): FieldReader {
  return nested<Mutable<Auth>>('auth', () => ({ type: 'oauth' }), setters)
}

function nested<T>(
  name: 'oauth' | 'auth',
  create: () => T,
  setters: Readonly<Record<string, Setter<T>>>,
): FieldReader {
  return (draft, field) => {
    if (field.node.kind !== 'object') {
      draft.problems.push(wrongType(draft.found, field, 'an object'))
      return
    }
    const target = (draft.fields[name] as T | undefined) ?? create()
    for (const member of field.node.members) {
      const inner = innerField(field, member)
      const setter = Object.hasOwn(setters, member.key) ? setters[member.key] : undefined
      const expected = setter?.(target, inner, draft)
      if (setter === undefined) draft.warnings.push(notKnown(draft, inner))
      else if (expected !== undefined) draft.warnings.push(badValue(draft.found, inner, expected))
    }
    setField(draft, name, field, target as NonNullable<DraftFields[typeof name]>)
  }
}

/** The settings, or `false`: Plugboard must not try OAuth. */
export function oauthOrFalse(settings: FieldReader): FieldReader {
  return (draft, field) => {
    const isOff = field.node.kind === 'scalar' && field.node.value === false
    if (isOff) setField(draft, 'oauth', field, { isOff })
    else settings(draft, field)
  }
}

/** A single top-level field that belongs to `oauth`. */
export function oauthField(setter: Setter<Mutable<OAuth>>): FieldReader {
  return (draft, field) => {
    const target: Mutable<OAuth> = draft.fields.oauth ?? {}
    const expected = setter(target, field, draft)
    if (expected === undefined) setField(draft, 'oauth', field, target)
    else draft.warnings.push(badValue(draft.found, field, expected))
  }
}

type Key<T, V> = { [K in keyof T]-?: NonNullable<T[K]> extends V ? K : never }[keyof T]

export function asTemplate<T>(key: Key<T, Template>): Setter<T> {
  return (target, field, draft) => {
    const text = scalarText(field.node)
    if (text === undefined) return 'a string'
    target[key] = templateIn(draft, text, field) as T[typeof key]
    return undefined
  }
}

export function asText<T>(key: Key<T, string>): Setter<T> {
  return (target, { node }) => {
    const text = scalarText(node)
    if (text === undefined) return 'a string'
    target[key] = text as T[typeof key]
    return undefined
  }
}

export function asPort<T>(key: Key<T, number>): Setter<T> {
  return (target, { node }) => {
    const port = node.kind === 'scalar' ? node.value : undefined
    if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
      return 'a port, from 1 to 65535'
    target[key] = port as T[typeof key]
    return undefined
  }
}

/** A list, or one string of words. */
export function asScopes<T>(key: Key<T, readonly string[]>): Setter<T> {
  return (target, { node }) => {
    const list = node.kind === 'array' ? node.items.map(scalarText) : scalarText(node)?.split(/[\s,]+/)
    if (list === undefined || list.includes(undefined)) return 'a list of strings'
    target[key] = list as T[typeof key]
    return undefined
  }
}

/** `true` or `false`, and no value that only looks like one. */
export function asFlag<T>(key: Key<T, boolean>): Setter<T> {
  return (target, { node }) => {
    if (node.kind !== 'scalar' || typeof node.value !== 'boolean') return '`true` or `false`'
    target[key] = node.value as T[typeof key]
    return undefined
  }
}

/** One of a few words. */
export function asOneOf<T, V extends string>(key: Key<T, V>, words: readonly V[]): Setter<T> {
  return (target, { node }) => {
    const word = words.find((one) => one === scalarText(node))
    if (word === undefined) return words.map((one) => `\`${one}\``).join(' or ')
    target[key] = word as T[typeof key]
    return undefined
  }
}
