/**
 * crash-text: the words of an error that nobody expected, for a person or a report.
 *
 * in     a message or a stack, which may quote whatever was being worked on
 * out    the same without what this process held in secret of late, and without what looks like a secret; none of it where
 *        that could not be taken out
 * never  fails: it is what reports failures
 */
import { createRedactor } from '../base/redact.ts'
import { recentSecrets } from '../base/secret.ts'
import { maskText } from './mask-text.ts'

export function toCrashText(text: string): string {
  try {
    return maskText(createRedactor(recentSecrets())(text))
  } catch {
    // The error that was caught may quote what was searched for, so it is not shown either.
    return 'the error is not shown, because the secrets in it could not be hidden'
  }
}
