/**
 * media-type: what an answer claims to be, without parameters and in lower case.
 */
import type { HttpHead } from '../../../world/world.ts'

/** Empty when the answer does not say. */
export function mediaType(headers: HttpHead['headers']): string {
  const value = headers['content-type']
  if (typeof value !== 'string') return ''
  const end = value.indexOf(';')
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase()
}
