/**
 * mask-fact: what an approval was about, as text in which `‹secret›` stands for whatever may be a secret.
 *
 * in     a fact as the record of approvals keeps it, which somebody may have edited
 */
import type { Change } from '../model/catalog.ts'
import type { Part, Template } from '../model/template.ts'
import type { TrustFacts } from '../model/trust.ts'
import { maskArgs, maskTemplate } from './mask-text.ts'

export function maskFact(field: string, value: string): string {
  return field === 'args' ? JSON.stringify(maskArgs(readArgs(value).map(readReferences))) : maskShown(value)
}

/** Hides what may be a secret, and never the name of a variable or file that a value is taken from. */
export function maskShown(text: string): string {
  return maskTemplate(readReferences(text))
}

const REFERENCE = /\$\{(?<name>[^{}:]+)(?::-(?<fallback>[^{}]*))?\}|\{file:(?<path>[^{}]*)\}/g

/** For showing only: whether a text that looks like a reference is one depends on the file that it stands in. */
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

/** The facts of an approval are what the user wrote, so an argument among them may be a secret. */
export function maskChange({ field, was, is }: Change): Change {
  return {
    field,
    ...(was === undefined ? {} : { was: maskFact(field, was) }),
    ...(is === undefined ? {} : { is: maskFact(field, is) }),
  }
}

/** The command line of a server, in one line; undefined for one that is reached. */
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
    return [] // edited by hand: there is nothing that could be shown
  }
}
