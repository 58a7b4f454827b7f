/**
 * stdio: what of a flood on stderr is kept, with a process and a clock that the test moves.
 */
import { describe, expect, test } from 'vitest'
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
  const child = { pid: 1, write: () => undefined, endInput: () => undefined, end: () => undefined }
  const processes = {
    spawn(_: unknown, listener: ProcessListener) {
      told.push(listener)
      return child
    },
  }
  const launch = { kind: 'stdio', command: 'server', args: [], env: new Map(), cwd: '/' } as const
  openStdio(
    launch,
    { processes, clock },
    {
      onMessage: () => undefined,
      onEnd: () => undefined,
      onLog: (line) => logged.push(line),
    },
  )
  return { clock, logged, write: (text: Uint8Array) => told[0]!.onErrorOutput(text) }
}

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
