/**
 * long-texts: makes it worth to look at long texts, as it is after the first megabyte of a process.
 */
import { isPlainAscii } from '../../src/base/plain-ascii.ts'

export function haveSeenLongTexts(): void {
  if (!isPlainAscii('x'.repeat(1024 * 1024))) throw new Error('it takes more to make long texts worth a look')
}
