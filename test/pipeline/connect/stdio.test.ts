/**
 * stdio: what is written, and what of a flood on stderr is kept, with a process and a clock that the test moves.
 */
import { describe, expect, test } from 'vitest'
import type { Message } from '../../../src/model/message.ts'
import { openStdio } from '../../../src/pipeline/connect/transports/stdio.ts'
import type { ProcessListener } from '../../../src/world/world.ts'
import { createMovedClock } from '../../worlds/moved-clock.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** More than is logged in one second. */
const FLOOD = bytes('x'.repeat(5 * 1024 * 1024))

function open() {
  const clock = createMovedClock()
  const logged: string[] = []
  const told: ProcessListener[] = []
  const written: string[] = []
  const child = {
    pid: 1,
    write: (input: string) => void written.push(input),
    unread: 0,
    endInput: () => void written.push('(the end)'),
    end: () => undefined,
    installed: () => undefined,
    family: () => undefined,
  }
  const processes = {
    spawn(_: unknown, listener: ProcessListener) {
      told.push(listener)
      return child
    },
    whenNoneIsLeft: async () => undefined,
  }
  const launch = { kind: 'stdio', command: 'server', args: [], env: new Map(), cwd: '/' } as const
  const wire = openStdio(
    launch,
    { processes, clock },
    {
      onMessage: () => undefined,
      onEnd: () => undefined,
      onLog: (line) => logged.push(line),
    },
  )
  const exit = (): void => told[0]!.onExit({ exitCode: 0 })
  const write = (text: Uint8Array): void => told[0]!.onErrorOutput(text)
  const say = (text: Uint8Array): void => told[0]!.onOutput(text)
  return { clock, logged, wire, written, exit, write, say }
}

const callWith = (id: number, text: string): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text } },
})

describe('messages of one turn', () => {
  const long = 'QUJD'.repeat(10_000)
  const messages = ['a', long, 'b', 'c', long, 'd'].map((text, at) => callWith(at, text))
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`).join('')

  test('are written in their order, and together', async () => {
    const { wire, written } = open()
    for (const message of messages) wire.send(message)
    await Promise.resolve()
    expect(written).toEqual([lines])
  })

  test('are written before the input ends', async () => {
    const { wire, written, exit } = open()
    for (const message of messages) wire.send(message)
    const closed = wire.close()
    expect(written.join('')).toBe(`${lines}(the end)`)
    exit()
    await closed
  })
})

describe('of what is too much on stderr, the last piece', () => {
  test('is kept from its first whole line on', () => {
    const { clock, logged, write } = open()
    write(FLOOD)
    write(bytes('-half\nwhole\n'))
    clock.pass(1000)
    expect(logged).toEqual(['whole'])
  })

  test('is dropped where it is but a part of a line, which may end in half a secret', () => {
    const { clock, logged, write } = open()
    write(FLOOD)
    write(bytes('half of a secr'))
    clock.pass(1000)
    write(bytes('et\nnext\n'))
    expect(logged).toEqual(['next'])
  })

  test('is kept whole where the line before it had ended, with its characters', () => {
    const { clock, logged, write } = open()
    write(FLOOD)
    write(bytes('\n'))
    write(bytes('naïve 😀\n'))
    clock.pass(1000)
    expect(logged).toEqual(['naïve 😀'])
  })
})
