/**
 * show-until: formats a time in the future or the past for people: to the minute, in UTC.
 */
export function showUntil(at: number): string {
  return `until ${showTime(at)}`
}

export function showTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
