/**
 * pooled: who comes to a process while it starts. A real one.
 */
import { expect, test } from 'vitest'
import type { LaunchSpec } from '../../src/model/launch.ts'
import type { ConnectError, ConnectRequest } from '../../src/pipeline/connect/connect.ts'
import { Pooled } from '../../src/runtime/pooled.ts'
import { serverEntry } from '../boards/open.ts'
import { createScratch } from '../worlds/scratch.ts'

test('one who comes to a start late hears what was heard of it so far', async () => {
  using scratch = createScratch()
  const { command, args } = serverEntry('dies-in-handshake') as { command: string; args: string[] }
  const launch: LaunchSpec = {
    name: 'one',
    transport: { kind: 'stdio', command, args, env: new Map(), cwd: scratch.home },
    protocol: 'auto',
    timeoutMs: 0,
    startupTimeoutMs: 0,
    secrets: [],
    problems: [],
  }
  const pooled = new Pooled(launch, { idleMs: 0, onOver: () => undefined })
  const lease = (heard: string[], onLine: () => void = () => undefined): Promise<ConnectError> => {
    const hear = (line: string): void => {
      heard.push(line)
      onLine()
    }
    const request: ConnectRequest = {
      world: scratch.world,
      client: { name: 'test', version: '1' },
      handlers: {},
      listens: 'never',
      inProcess: {},
      signal: new AbortController().signal,
      listener: {
        onLog: hear,
        onOverheard: hear,
        onFirstSign: () => heard.push('a sign'),
        onNotification: () => undefined,
        onEnd: () => undefined,
      },
    }
    return pooled.lease(request).then(
      () => expect.unreachable('it dies before it is ready'),
      (error: ConnectError) => error,
    )
  }

  const [first, second]: [string[], string[]] = [[], []]
  let late: Promise<ConnectError> | undefined
  const early = lease(first, () => {
    late ??= lease(second)
  })
  const failure = { kind: 'lost', wire: { kind: 'exit', exitCode: 3 } }
  expect((await early).failure).toMatchObject(failure)
  expect(first).toEqual(['a sign', 'fatal: no licence'])
  expect((await late)?.failure).toMatchObject(failure)
  expect(second).toEqual(first)
})
