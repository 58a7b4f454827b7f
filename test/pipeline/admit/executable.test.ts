import { describe, expect, test } from 'vitest'
import type { StdioTransport } from '../../../src/model/definition.ts'
import { literal, type Template } from '../../../src/model/template.ts'
import { findProgram, type Program } from '../../../src/pipeline/admit/executable.ts'
import { createMemoryWorld } from '../../worlds/memory.ts'

describe('where a command leads on Windows', () => {
  const world = createMemoryWorld({
    platform: 'win32',
    env: { Path: 'C:\\bin', PATHEXT: '.exe;.cmd' },
    programs: [
      'C:\\bin\\npx',
      'C:\\bin\\npx.cmd',
      'C:\\bin\\tool.cmd.exe',
      'C:\\bin\\tool.cmd',
      'C:\\bare\\server',
    ],
  })
  const find = (command: string): Program => {
    const transport = { type: 'stdio', command: literal(command), args: [], env: new Map() } as const
    return findProgram(world, { transport, values: 'literal' }, { baseDir: 'C:\\src' })
  }

  test.each([
    ['npx', 'C:\\bin\\npx.cmd'],
    ['tool.cmd', 'C:\\bin\\tool.cmd'],
    ['C:\\bare\\server', 'C:\\bare\\server'],
    ['nothing', undefined],
  ])('%s: %s', (command, file) => {
    expect(find(command)).toEqual(file === undefined ? { kind: 'missing' } : { kind: 'found', path: file })
  })
})

describe('a program is looked for in the environment that the entry asks for', () => {
  const programs = [
    '/usr/bin/node',
    '/src/shop/evil/node',
    '/src/shop/node',
    '/src/shop/run/node',
    '/own/node',
  ]
  const world = createMemoryWorld({ env: { PATH: '/usr/bin', OWN: '/own', NAMED: '/own' }, programs })
  const find = (
    path: Template | undefined,
    { values = 'literal', cwd, fileVariables }: Partial<Asked> = {},
  ): Program => {
    const transport: StdioTransport = {
      type: 'stdio',
      command: literal('node'),
      args: [],
      env: new Map(path === undefined ? [] : [['PATH', path]]),
      ...(cwd === undefined ? {} : { cwd: literal(cwd) }),
    }
    const around = { baseDir: '/src/shop', ...(fileVariables === undefined ? {} : { fileVariables }) }
    return findProgram(world, { transport, values }, around)
  }
  interface Asked {
    readonly values: 'literal' | 'resolvable'
    readonly cwd: string
    readonly fileVariables: ReadonlyMap<string, string>
  }
  const own = (rest: string): Template => [rest, { kind: 'env', name: 'PATH' }]
  const fromFile = new Map([['PATH', './evil']])

  test.each<readonly [string, Template | undefined, Partial<Asked>, string]>([
    ['the PATH of the user', undefined, {}, '/usr/bin/node'],
    ['a folder of the repository in front', own('./evil:'), {}, '/src/shop/evil/node'],
    ['an empty part, which is the folder it starts in', own(':'), {}, '/src/shop/node'],
    ['an empty part, with a folder to start in', own(':'), { cwd: 'run' }, '/src/shop/run/node'],
    ['a PATH from the envFile', undefined, { fileVariables: fromFile }, '/src/shop/evil/node'],
    ['a PATH of the entry, over one of the envFile', own(''), { fileVariables: fromFile }, '/usr/bin/node'],
    ['a variable', [{ kind: 'env', name: 'OWN' }], {}, '/own/node'],
    ['the name of a variable, where that is a value', ['NAMED'], { values: 'resolvable' }, '/own/node'],
    ['a default', [{ kind: 'env', name: 'UNSET', fallback: '/own' }], {}, '/own/node'],
  ])('%s', (_, path, how, expected) => {
    expect(find(path, how)).toEqual({ kind: 'found', path: expected })
  })

  test('what is only known when it starts is not passed off as something else', () => {
    expect(find([{ kind: 'file', path: 'path.txt' }])).toEqual({ kind: 'unknown' })
    expect(find(['!print-path'], { values: 'resolvable' })).toEqual({ kind: 'unknown' })
    expect(find(['!print-path'])).toEqual({ kind: 'missing' })
  })
})
