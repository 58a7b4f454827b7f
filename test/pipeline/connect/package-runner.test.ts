import { describe, expect, it } from 'vitest'
import { isInstalling, isPackageRunner } from '../../../src/pipeline/connect/transports/package-runner.ts'
import type { RunningProcess } from '../../../src/world/world.ts'

const family = (...all: readonly (readonly string[] | RunningProcess)[]): readonly RunningProcess[] =>
  all.map((one, at) => ('args' in one ? one : { pid: at + 1, args: one }))

describe('a package runner', () => {
  it.each([
    ['npx', '-y', 'some-server'],
    ['/usr/local/bin/npx', 'some-server'],
    ['C:\\Program Files\\nodejs\\npx.cmd', 'some-server'],
    ['npm', '--silent', 'exec', '--', 'some-server'],
    ['pnpm', 'dlx', 'some-server'],
    ['bunx', 'some-server'],
    ['uvx', 'some-server'],
    ['uv', 'tool', 'run', 'some-server'],
  ])('is %s %s', (command, ...args) => {
    expect(isPackageRunner({ command, args })).toBe(true)
  })

  it.each([
    ['npm', 'run', 'server'],
    ['npm', 'explore'],
    ['uv', 'run', 'server.py'],
    ['node', 'npx.js'],
    ['python', '-m', 'uvx'],
    ['constructor', 'x'],
  ])('is not %s %s', (command, ...args) => {
    expect(isPackageRunner({ command, args })).toBe(false)
  })
})

describe('an installation', () => {
  it.each([
    ['npx by itself', family(['npm exec @some/server'])],
    ['a shim that started it', family(['/bin/bash', '/shims/npx'], ['npm exec @some/server'])],
    ['npm before it has a name of its own', family(['node', '/usr/bin/npx'], ['node', '/lib/npm-cli.js'])],
    [
      'a script of a package',
      family(
        ['npm exec x'],
        { pid: 2, args: ['sh', '-c', 'node-gyp rebuild'], npmScript: 'install' },
        { pid: 3, args: ['make'], npmScript: 'install' },
      ),
    ],
    ['git for a package', family(['npm exec x'], ['git', 'clone'])],
    ['a child that has just ended', family(['npm exec x'], [])],
  ])('is under way while there is only %s', (_, processes) => {
    expect(isInstalling(processes)).toBe(true)
  })

  it.each([
    [
      'the server runs',
      family(['npm exec x'], { pid: 2, args: ['sh', '-c', 'x'], npmScript: 'npx' }, ['node', 'x']),
    ],
    ['uvx started Python', family(['uv', 'tool', 'uvx', 'x'], ['/venv/bin/python', '/venv/bin/x'])],
    ['bunx started it', family(['bunx', 'x'], ['bun', '/tmp/x/index.js'])],
    ['the runner has ended', family([])],
    ['nothing is left', []],
  ])('is over when %s', (_, processes) => {
    expect(isInstalling(processes)).toBe(false)
  })
})
