/**
 * stdout: takes the real stdout for a host that speaks a protocol on it. From then on, all other output goes to stderr.
 *
 * out    a stream for the host; when it is disposed of, stdout works as before
 * never  lets through what other code of this process prints, by `console` or `process.stdout`, worker threads
 *        included. It cannot catch what is written to the descriptor itself: by `fs.writeSync(1)`, or by a child that
 *        inherits it
 */
import { Writable } from 'node:stream'

/** A part of the type of Node's stream, so that hosts without Node's types can use it. */
export interface Stdout extends Disposable {
  write(chunk: string | Uint8Array, callback?: (error?: Error | null) => void): boolean
}

let isTaken = false

/** Throws when stdout is already taken: two hosts would mix their lines. */
export function takeStdout(): Stdout {
  if (isTaken) throw new Error('stdout is taken already')
  isTaken = true
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const giveBack = replace(stdout, {
    write: stderr.write.bind(stderr),
    // The last text is written, but the stream stays open for the host.
    end: ((...words: unknown[]) => {
      const hasText = words.length > 0 && typeof words[0] !== 'function'
      stderr.write(...((hasText ? words : ['', ...words]) as Parameters<typeof stderr.write>))
      return stdout
    }) as typeof stdout.end,
  })
  const stream = new Writable({ write: (chunk: Buffer, _, done) => void write(chunk, done) })
  // The host gets the error from the stream.
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

/** Replaces an object's own or inherited methods. Returns a function that undoes it. */
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
