/**
 * show-name: the name of a server, printable, and visible even when it is blank.
 */
import { toPrintable } from '../../base/printable.ts'

export function showName(name: string): string {
  return name.trim() === '' ? JSON.stringify(name) : toPrintable(name)
}
