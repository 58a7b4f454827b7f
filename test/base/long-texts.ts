/**
 * long-texts: makes it worth to look at long texts, as it is after the first megabyte of a process.
 */
import { isPlainAscii } from '../../src/base/plain-ascii.ts'

export function haveSeenLongTexts(): void {
  isPlainAscii('x'.repeat(1024 * 1024))
}
