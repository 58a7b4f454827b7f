/**
 * crash-text: the words of an error that nobody expected, for a person or a report.
 *
 * in     a message or a stack, which may quote whatever was being worked on
 * out    the same without what this process held in secret of late, and without what looks like a secret
 */
import { createRedactor } from '../base/redact.ts'
import { recentSecrets } from '../base/secret.ts'
import { maskText } from './mask-text.ts'

export function toCrashText(text: string): string {
  return maskText(createRedactor(recentSecrets())(text))
}
