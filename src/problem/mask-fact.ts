/**
 * mask-fact: what an approval was about, as text in which `‹secret›` stands for whatever may be a secret.
 *
 * in     a fact as the record of approvals keeps it, which somebody may have edited
 */
import type { Change } from '../model/catalog.ts'
import { literal } from '../model/template.ts'
import type { TrustFacts } from '../model/trust.ts'
import { maskArgs, maskText } from './mask-text.ts'

export function maskFact(field: string, value: string): string {
  return field === 'args' ? JSON.stringify(maskArgs(readArgs(value).map(literal))) : maskText(value)
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
  return [maskText(command), ...maskArgs(readArgs(args ?? '[]').map(literal))].join(' ')
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
