/**
 * crash-text: the text of an unexpected error, for a user or a report.
 *
 * in     a message or a stack, which may quote any data in use
 * out    the same without the recent secrets of this process, and without texts that look like a secret; no text at all
 *        where they could not be removed
 * never  fails: it reports failures
 */
import { createRedactor } from '../base/redact.ts'
import { recentSecrets } from '../base/secret.ts'
import { maskText } from './mask-text.ts'

export function toCrashText(text: string): string {
  try {
    return maskText(createRedactor(recentSecrets())(text))
  } catch {
    // The caught error may quote the searched text, so it is not shown either.
    return 'the error is not shown, because the secrets in it could not be hidden'
  }
}
