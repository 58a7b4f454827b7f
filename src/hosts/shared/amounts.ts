/**
 * amounts: formats ages and counts as words.
 */
/** How long ago, in the unit a person would use: `40 s`, `5 min`, `3 h`, `2 days`. */
export function showAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return countOf(Math.floor(seconds / 86_400), 'day')
}

/** `1 server`, `2 servers`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** `40 ms`, `2.3 s`. */
export function showDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}
