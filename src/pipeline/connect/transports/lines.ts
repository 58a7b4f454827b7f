/**
 * lines: text that comes in pieces → whole lines, without copying a long one more than once.
 */
export interface Lines {
  push(text: string): void
  /** What is left without an end, as a line. */
  flush(): void
}

export interface LinesOptions {
  readonly maxLength: number
  /** Without its end. Empty lines are passed over. */
  onLine(line: string): void
  /** Gets what there is of the line; the rest of it is dropped. */
  onTooLong(start: string): void
}

export function createLines({ maxLength, onLine, onTooLong }: LinesOptions): Lines {
  let pieces: string[] = []
  let length = 0
  let isSkipping = false

  const take = (rest: string): string => {
    if (pieces.length === 0) return rest
    pieces.push(rest)
    const line = pieces.join('')
    pieces = []
    length = 0
    return line
  }
  const tell = (line: string): void => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (isSkipping) isSkipping = false
    else if (text !== '') onLine(text)
  }
  return {
    push(text) {
      let from = 0
      for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
        tell(take(text.slice(from, to)))
        from = to + 1
      }
      if (from === text.length || isSkipping) return
      pieces.push(from === 0 ? text : text.slice(from))
      length += text.length - from
      if (length <= maxLength) return
      const start = take('')
      isSkipping = true
      onTooLong(start)
    },
    flush: () => tell(take('')),
  }
}
