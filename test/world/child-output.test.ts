import { spawn, type ChildProcess } from 'node:child_process'
import { PassThrough, type Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readOutput } from '../../src/world/node/child-output.ts'

const start = (script: string): ChildProcess =>
  spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.on('close', resolve))

/** Says each piece when it comes, as a text: the memory is the next one's. */
function gather(pipe: Readable): { text: string; readonly memory: Set<ArrayBufferLike> } {
  const seen = { text: '', memory: new Set<ArrayBufferLike>() }
  readOutput(pipe, (bytes) => {
    seen.text += Buffer.from(bytes).toString('latin1')
    seen.memory.add(bytes.buffer)
  })
  return seen
}

describe('the output of children', () => {
  it('is read into the same memory, and each gets what is its own', async () => {
    const letters = ['a', 'b', 'c']
    const children = letters.map((letter) =>
      start(`process.stdin.once('data', () => process.stdout.write('${letter}'.repeat(3_000_000)))
        .once('data', () => process.stdin.destroy())`),
    )
    const seen = children.map((child) => gather(child.stdout!))
    // All of them at once, so that their pieces come in turns.
    for (const child of children) child.stdin!.write('go')
    await Promise.all(children.map(ended))
    expect(seen.map(({ text }) => text)).toEqual(letters.map((letter) => letter.repeat(3_000_000)))
    // If this fails on a new version of Node, its pipes are read as streams again: see `takeHandle`.
    expect(new Set(seen.flatMap(({ memory }) => [...memory])).size).toBe(1)
  })

  it('ends with its child, which is over when all of it was told', async () => {
    const child = start(`process.stdout.write('x'.repeat(500_000))`)
    const seen = gather(child.stdout!)
    await ended(child)
    expect([seen.text.length, child.stdout!.destroyed]).toEqual([500_000, true])
  })

  it('is told no more once its pipe is closed', async () => {
    const child = start(`process.stdout.write('first'); process.stdin.once('data', () => {
      process.stdout.on('error', () => process.exit(3)).write('second')
    })`)
    let text = ''
    await new Promise<void>((resolve) => {
      readOutput(child.stdout!, (bytes) => {
        text += Buffer.from(bytes).toString()
        resolve()
      })
    })
    child.stdout!.destroy()
    child.stdin!.write('go')
    const code = await new Promise((resolve) => child.on('exit', resolve))
    expect([text, code]).toEqual(['first', 3])
  })

  it('is read as any stream where there is nothing else', async () => {
    const pipe = new PassThrough()
    const seen = gather(pipe)
    pipe.end('hello')
    await new Promise((resolve) => pipe.on('close', resolve))
    expect(seen.text).toBe('hello')
  })
})
