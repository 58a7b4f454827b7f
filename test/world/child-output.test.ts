import { spawn, type ChildProcess } from 'node:child_process'
import { PassThrough, type Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readOutput } from '../../src/world/node/child-output.ts'

const start = (script: string): ChildProcess =>
  spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })

const closed = (stream: Readable | undefined): Promise<unknown> =>
  new Promise((resolve) => stream!.on('close', resolve))

interface Seen {
  text: string
  readonly memory: Set<ArrayBufferLike>
  readonly over: Promise<unknown>
  /** What is closed to hear no more. */
  readonly stream: Readable
}

/** Says each piece when it comes, as a text: the memory is the next one's. */
function gather(child: Pick<ChildProcess, 'stdio' | 'stdout'>, onText = (): void => undefined): Seen {
  const memory = new Set<ArrayBufferLike>()
  const stream = readOutput(child, (bytes) => {
    seen.text += Buffer.from(bytes).toString('latin1')
    memory.add(bytes.buffer)
    onText()
  })!
  const seen: Seen = { text: '', memory, over: closed(stream), stream }
  return seen
}

describe('the output of children', () => {
  it('is read into the same memory, and each gets what is its own', async () => {
    const letters = ['a', 'b', 'c']
    const children = letters.map((letter) =>
      start(`process.stdin.once('data', () => process.stdout.write('${letter}'.repeat(3_000_000)))
        .once('data', () => process.stdin.destroy())`),
    )
    const seen = children.map((child) => gather(child))
    // All of them at once, so that their pieces come in turns.
    for (const child of children) child.stdin!.write('go')
    await Promise.all(seen.map(({ over }) => over))
    expect(seen.map(({ text }) => text)).toEqual(letters.map((letter) => letter.repeat(3_000_000)))
    // If this fails on a new version of Node, its pipes are read as streams again: see `takeHandle`.
    expect(new Set(seen.flatMap(({ memory }) => [...memory])).size).toBe(1)
  })

  it('is told to its end, also when the child is long gone', async () => {
    const child = start(`process.stdout.write('x'.repeat(100_000))`)
    const exited = new Promise((resolve) => child.on('exit', resolve))
    const seen = gather(child)
    await Promise.all([exited, seen.over])
    expect(seen.text.length).toBe(100_000)
  })

  it('is told no more once it is closed, and the child gets to know', async () => {
    const child = start(`process.stdout.write('first'); process.stdin.once('data', () => {
      process.stdout.on('error', () => process.exit(3)).write('second')
    })`)
    let seen: Seen | undefined
    await new Promise<void>((resolve) => (seen = gather(child, resolve)))
    seen!.stream.destroy()
    child.stdin!.write('go')
    const code = await new Promise((resolve) => child.on('exit', resolve))
    expect([seen!.text, code]).toEqual(['first', 3])
  })

  it('is read as any stream where there is nothing else', async () => {
    const pipe = new PassThrough()
    const seen = gather({ stdout: pipe, stdio: [null, pipe, null, null, null] })
    pipe.end('hello')
    await seen.over
    expect(seen.text).toBe('hello')
  })

  it('is nothing where there is no pipe', () => {
    const child = { stdout: undefined as unknown as null, stdio: [null, null, null, null, null] as const }
    expect(readOutput(child as unknown as ChildProcess, () => undefined)).toBe(undefined)
  })
})
