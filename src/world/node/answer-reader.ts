/**
 * answer-reader: what comes over a connection → the answers in it, by RFC 9112 (HTTP/1.0 and 1.1).
 *
 * in     bytes, cut anywhere; when an answer is due, and that nothing more will come
 * out    of each answer its head, its body piece by piece, and its end; pieces are to be looked at before the call returns
 * never  keeps anything but the beginning of a head or of a line; goes on behind what is not HTTP, or what nobody asked for
 */
import { isHeader, MAX_HEAD, parseHead, type AnswerHead } from './answer-head.ts'

/** `onFault` is the last to be called. */
export interface AnswerReaderListener {
  onHead(head: AnswerHead): void
  onBody(bytes: Buffer): void
  onEnd(): void
  /** It is not HTTP, or breaks off. */
  onFault(fault: AnswerFault): void
}

export interface AnswerFault {
  readonly kind: 'no-http' | 'broken-off'
  readonly message: string
}

/** Which part comes next. `idle`: none is due; `over`: nothing is read any more. */
type Part = 'idle' | 'head' | 'sized' | 'endless' | 'size' | 'chunk' | 'chunk-end' | 'trailer' | 'over'

export class AnswerReader {
  readonly #listener: AnswerReaderListener
  #part: Part = 'idle'
  /** Bytes of a body whose length is known, or of a chunk, that are still to come; of trailers, those that may. */
  #left = 0
  /** The beginning of a head or of a line. */
  #held: Buffer = NOTHING

  constructor(listener: AnswerReaderListener) {
    this.#listener = listener
  }

  /** Something was asked for. */
  expect(): void {
    if (this.#part === 'idle') this.#part = 'head'
  }

  push(bytes: Buffer): void {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    this.#held = NOTHING
    while (rest.length > 0 && this.#part !== 'over') {
      const taken = this.#take(rest)
      if (taken === 0) return this.#hold(rest)
      rest = rest.subarray(taken)
    }
  }

  /** Whether what is being read ends with the connection, however that ends. */
  get isEndless(): boolean {
    return this.#part === 'endless'
  }

  /** The other side has closed the connection. */
  finish(): void {
    const part = this.#part
    this.#part = 'over'
    if (part === 'endless') this.#listener.onEnd()
    else if (part !== 'idle' && part !== 'over')
      this.#listener.onFault({ kind: 'broken-off', message: 'other side closed' })
  }

  /** How many of these it could make something of; none where the end of a head or of a line is missing. */
  #take(bytes: Buffer): number {
    switch (this.#part) {
      case 'head':
        return this.#takeHead(bytes)
      case 'endless':
        this.#listener.onBody(bytes)
        return bytes.length
      case 'sized':
      case 'chunk':
        return this.#takeBody(bytes)
      case 'idle':
        return isLineEnd(bytes[0]) ? 1 : this.#refuse('it sent something that nobody had asked for')
      default:
        return this.#takeLine(bytes)
    }
  }

  #takeHead(bytes: Buffer): number {
    // Some write a line end too many behind a body.
    if (isLineEnd(bytes[0])) return 1
    const end = bytes.indexOf(HEAD_END)
    if (end === -1) return isBeginning(bytes) ? 0 : this.#refuse('it does not begin as HTTP does')
    const head = end > MAX_HEAD ? undefined : parseHead(bytes.toString('utf8', 0, end))
    if (head === undefined) return this.#refuse('its head is not one of HTTP')
    // What comes before the answer itself (1xx) says nothing to us.
    if (head.status >= 200) this.#begin(head)
    return end + HEAD_END.length
  }

  #begin(head: AnswerHead): void {
    const { body } = head
    this.#part = body.kind === 'chunked' ? 'size' : body.kind
    this.#left = body.kind === 'sized' ? body.length : 0
    this.#listener.onHead(head)
    if (this.#part === 'sized' && this.#left === 0) this.#end()
  }

  #takeBody(bytes: Buffer): number {
    const piece = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left)
    const part = this.#part
    this.#left -= piece.length
    this.#listener.onBody(piece)
    if (this.#left > 0) return piece.length
    if (part === 'sized') this.#end()
    else this.#part = 'chunk-end'
    return piece.length
  }

  /** Around the chunks of a body. */
  #takeLine(bytes: Buffer): number {
    const end = bytes.indexOf(LINE_FEED)
    if (end === -1) return bytes.length > MAX_HEAD ? this.#refuse('a line of it has no end') : 0
    if (bytes[end - 1] !== CARRIAGE_RETURN) return this.#refuse('a line of it has no proper end')
    return this.#heedLine(bytes.toString('latin1', 0, end - 1))
      ? end + 1
      : this.#refuse('a chunk of it is none')
  }

  /** False: it does not belong there. */
  #heedLine(line: string): boolean {
    if (this.#part === 'size') return this.#beginChunk(line)
    // Of what is told behind the body nothing is used; so much of it may come as of a head.
    if (line !== '') return this.#part === 'trailer' && isHeader(line) && (this.#left -= line.length) > 0
    if (this.#part === 'trailer') this.#end()
    else this.#part = 'size'
    return true
  }

  /** Extensions may follow the length; there are none that say anything. */
  #beginChunk(line: string): boolean {
    const size = /^0*[\da-f]{1,12}(?=;|$)/i.exec(line)?.[0]
    if (size === undefined) return false
    const length = Number.parseInt(size, 16)
    this.#part = length === 0 ? 'trailer' : 'chunk'
    this.#left = length === 0 ? MAX_HEAD : length
    return true
  }

  #end(): void {
    this.#part = 'idle'
    this.#listener.onEnd()
  }

  #hold(bytes: Buffer): void {
    // What it is a part of may be read into again.
    if (this.#part !== 'over') this.#held = Buffer.from(bytes)
  }

  #refuse(message: string): 0 {
    this.#part = 'over'
    this.#listener.onFault({ kind: 'no-http', message })
    return 0
  }
}

const NOTHING = Buffer.alloc(0)
const HEAD_END = Buffer.from('\r\n\r\n')
const BEGINNING = Buffer.from('HTTP/1.')
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

function isLineEnd(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN
}

/** Of a head whose end has not come. One of another protocol, or with other line ends, would be waited for in vain. */
function isBeginning(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, BEGINNING.length)
  if (bytes.length > MAX_HEAD || bytes.compare(BEGINNING, 0, length, 0, length) !== 0) return false
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1))
    if (bytes[at - 1] !== CARRIAGE_RETURN) return false
  return true
}
