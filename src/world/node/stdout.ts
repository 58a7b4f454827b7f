/**
 * stdout: the real one for a host that speaks a protocol on it. Whatever else prints there prints to stderr from then on.
 *
 * out    a stream, for the one who speaks; disposed of, stdout is everybody's again
 * never  lets through what any code of this process prints, by `console` or `process.stdout`, worker threads included.
 *        What goes to the descriptor itself cannot be seen here: `fs.writeSync(1)`, and a child that was given ours
 */
import { Writable } from 'node:stream'

/** A stream of Node, of which this much is typed, so that hosts without Node's types can use ours. */
export interface Stdout extends Disposable {
  write(chunk: string | Uint8Array, callback?: (error?: Error | null) => void): boolean
}

let isTaken = false

/** Throws when it is taken: two speakers would talk into each other's lines. */
export function takeStdout(): Stdout {
  if (isTaken) throw new Error('stdout is taken already')
  isTaken = true
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const giveBack = replace(stdout, {
    write: stderr.write.bind(stderr),
    // Its last words are heard, but it is not closed for the one who speaks.
    end: ((...words: unknown[]) => {
      const hasText = words.length > 0 && typeof words[0] !== 'function'
      stderr.write(...((hasText ? words : ['', ...words]) as Parameters<typeof stderr.write>))
      return stdout
    }) as typeof stdout.end,
  })
  const stream = new Writable({ write: (chunk: Buffer, _, done) => void write(chunk, done) })
  // The one who speaks hears of it from the stream.
  const ignore = (): void => undefined
  stdout.on('error', ignore)
  return Object.assign(stream, {
    [Symbol.dispose]: () => {
      if (!isTaken) return
      isTaken = false
      giveBack()
      stdout.off('error', ignore)
    },
  })
}

/** Puts these in place of an object's own methods or inherited ones. The answer undoes it. */
function replace<T extends object>(object: T, methods: Partial<T>): () => void {
  const before = Object.keys(methods).map(
    (name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const,
  )
  Object.assign(object, methods)
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(object, name)
      else Object.defineProperty(object, name, descriptor)
    }
  }
}
