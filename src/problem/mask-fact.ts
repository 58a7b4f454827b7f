/**
 * mask-fact: the facts of an approval, as text with `‹secret›` in place of everything that may be a secret.
 *
 * in     a fact from the record of approvals, which a user may have edited
 */
import type { Change } from '../model/catalog.ts'
import type { Part, Template } from '../model/template.ts'
import type { TrustFacts } from '../model/trust.ts'
import { maskArgs, maskTemplate } from './mask-text.ts'

export function maskFact(field: string, value: string): string {
  return field === 'args' ? JSON.stringify(maskArgs(readArgs(value).map(readReferences))) : maskShown(value)
}

/** Hides what may be a secret, but never the name of the variable or file that a value comes from. */
export function maskShown(text: string): string {
  return maskTemplate(readReferences(text))
}

const REFERENCE = /\$\{(?<name>[^{}:]+)(?::-(?<fallback>[^{}]*))?\}|\{file:(?<path>[^{}]*)\}/g

/** For display only: whether a text is a reference depends on its file. */
function readReferences(text: string): Template {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(REFERENCE)) {
    const { name, fallback, path } = match.groups!
    parts.push(text.slice(end, match.index))
    if (name === undefined) parts.push({ kind: 'file', path: path! })
    else parts.push({ kind: 'env', name, ...(fallback === undefined ? {} : { fallback }) })
    end = match.index + match[0].length
  }
  return [...parts, text.slice(end)]
}

/** The facts of an approval are the user's own text, so an argument among them may be a secret. */
export function maskChange({ field, was, is }: Change): Change {
  return {
    field,
    ...(was === undefined ? {} : { was: maskFact(field, was) }),
    ...(is === undefined ? {} : { is: maskFact(field, is) }),
  }
}

/** The command line of a server, in one line; undefined for a remote server. */
export function maskCommandLine(facts: TrustFacts): string | undefined {
  const { command, args } = facts
  if (command === undefined) return undefined
  return [maskShown(command), ...maskArgs(readArgs(args ?? '[]').map(readReferences))].join(' ')
}

/** The arguments of a server, which are kept as JSON. */
export function readArgs(text: string): readonly string[] {
  try {
    const args: unknown = JSON.parse(text)
    return Array.isArray(args) ? args.map(String) : []
  } catch {
    return [] // edited by hand: nothing can be shown
  }
}
