/**
 * Templates: what is put in, what stays as it is written, what is left out, and what is said about it.
 */
import { describe, expect, test } from 'vitest'
import { reveal } from '../../../src/model/launch.ts'
import { Secret } from '../../../src/base/secret.ts'
import type { FileRead } from '../../../src/world/world.ts'
import { codesOf, envOf, headersOf, launchIn, worldWith } from './launching.ts'

const URL = 'https://mcp.example/mcp'

describe('variables', () => {
  test('are put in, or their default', async () => {
    const entry = { command: 'npx', args: ['--region=${REGION:-eu}', '${WORD}'], env: { A: 'a ${WORD} b' } }
    const launch = await launchIn(worldWith('cursor', entry, { env: { WORD: 'hello' } }))
    expect(launch.problems).toEqual([])
    expect(envOf(launch)).toEqual({ A: 'a hello b' })
    expect(launch.transport).toMatchObject({ args: ['--region=eu', expect.any(Secret)] })
  })

  test('that are unset stay as they are written, and the message says who needs which one where', async () => {
    const entry = { url: URL, headers: { Authorization: 'Bearer ${SENTRY_TOKEN}' } }
    const launch = await launchIn(worldWith('cursor', entry))
    expect(headersOf(launch)).toEqual({ Authorization: 'Bearer ${SENTRY_TOKEN}' })
    expect(launch.secrets).toEqual([])
    expect(launch.problems).toEqual([
      {
        code: 'resolve/unset-variable',
        severity: 'warning',
        message: '`SENTRY_TOKEN` is not set, and server `shop` needs it for `headers.Authorization`',
        where: {
          file: '/home/ada/.cursor/mcp.json',
          line: 6,
          column: 26,
          source: 'cursor',
          scope: 'user',
          server: 'shop',
          excerpt: { text: '        "Authorization": "•••••• ${SENTRY_TOKEN}"', column: 26, length: 24 },
        },
        notes: ['looked in: the environment', 'the reference stays as it is written'],
        hints: ['set it in your shell, or give a default in the file: `${SENTRY_TOKEN:-…}`'],
      },
    ])
  })

  test('what every object has is no variable', async () => {
    const entry = { url: URL, headers: { A: '${constructor}', B: 'toString' } }
    const launch = await launchIn(worldWith('ours', entry))
    expect(headersOf(launch)).toEqual({ A: '${constructor}', B: 'toString' })
    expect(codesOf(launch)).toEqual(['resolve/unset-variable'])
  })

  test('twice in one field is one problem', async () => {
    const launch = await launchIn(worldWith('cursor', { command: 'npx', env: { A: '${X}-${X}' } }))
    expect(codesOf(launch)).toEqual(['resolve/unset-variable'])
  })
})

describe('files', () => {
  const remote = (value: string): object => ({ type: 'remote', url: URL, headers: { 'X-Key': value } })

  test.each([
    ['relative to where the entry belongs', '{file:keys/shop}', '/src/shop/keys/shop'],
    ['below the home', '{file:~/keys/shop}', '/home/ada/keys/shop'],
    ['absolute', '{file:/keys/shop}', '/keys/shop'],
  ])('%s are read, without the line break at their end', async (_, value, file) => {
    const world = worldWith('opencode', { ...remote(value) }, { files: { [file]: 'k-1 \n' } })
    const launch = await launchIn(world)
    expect(headersOf(launch)).toEqual({ 'X-Key': 'k-1 ' })
    expect(launch.problems).toEqual([])
  })

  test.each<[string, FileRead, string]>([
    ['missing', { kind: 'missing' }, 'there is no such file'],
    ['denied', { kind: 'unreadable', why: { kind: 'denied' } }, 'you may not read it'],
    [
      'a directory',
      { kind: 'unreadable', why: { kind: 'not-a-file', what: 'a directory' } },
      'it is a directory',
    ],
  ])('that are %s leave the value out', async (_, read, why) => {
    const world = worldWith('opencode', { ...remote('{file:/keys/shop}') }, { files: { '/keys/shop': read } })
    const launch = await launchIn(world)
    expect(headersOf(launch)).toEqual({})
    expect(launch.problems).toMatchObject([
      {
        code: 'resolve/file',
        severity: 'error',
        message: '`/keys/shop` cannot be read, and server `shop` needs it for `headers.X-Key`',
        where: { server: 'shop', line: 7 },
        notes: [why, 'the value was left out'],
      },
    ])
  })
})

describe('what cannot be known', () => {
  test('an input leaves the value out of a map', async () => {
    const launch = await launchIn(
      worldWith('vscode', { type: 'http', url: URL, headers: { K: '${input:key}' } }),
    )
    expect(headersOf(launch)).toEqual({})
    expect(launch.problems).toMatchObject([
      {
        code: 'resolve/input',
        message: 'server `shop` asks for `key`, and nobody can be asked',
        notes: ['the value was left out'],
      },
    ])
  })

  test('an input stays as it is written in a list, where its neighbours must keep their places', async () => {
    const launch = await launchIn(
      worldWith('vscode', { command: 'npx', args: ['--key', '${input:key}', 'x'] }),
    )
    expect(launch.transport).toMatchObject({ args: ['--key', '${input:key}', 'x'] })
    expect(launch.problems).toMatchObject([
      { code: 'resolve/input', notes: ['the reference stays as it is written'], where: { line: 7 } },
    ])
  })

  test('shell code in a value of another agent is never run', async () => {
    const world = worldWith('crush', { type: 'stdio', command: 'npx', env: { A: '$(cat /etc/passwd)' } })
    const launch = await launchIn(world)
    expect(world.commands).toEqual([])
    expect(envOf(launch)).toEqual({ A: '$(cat /etc/passwd)' })
    expect(codesOf(launch)).toEqual(['resolve/command-in-value'])
  })
})

test('a URL from a variable is wrapped, a literal one is not', async () => {
  const wrapped = await launchIn(worldWith('cursor', { url: '${SHOP_URL}' }, { env: { SHOP_URL: URL } }))
  const plain = await launchIn(worldWith('cursor', { url: URL }))
  if (wrapped.transport.kind !== 'http' || plain.transport.kind !== 'http') throw new Error('not http')
  expect(wrapped.transport.url).toBeInstanceOf(Secret)
  expect(reveal(wrapped.transport.url)).toBe(URL)
  expect(plain.transport.url).toBe(URL)
})
