/**
 * media-type: the media type of an answer, without parameters and in lower case.
 */
import type { HttpHead } from '../../../world/world.ts'

/** Empty when the answer has none. */
export function mediaType(headers: HttpHead['headers']): string {
  const value = headers['content-type']
  if (typeof value !== 'string') return ''
  const end = value.indexOf(';')
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase()
}
