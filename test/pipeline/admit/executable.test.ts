import { describe, expect, test } from 'vitest'
import { literal } from '../../../src/model/template.ts'
import { findExecutable } from '../../../src/pipeline/admit/executable.ts'
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
  const find = (command: string): string | undefined =>
    findExecutable(world, { type: 'stdio', command: literal(command), args: [], env: new Map() }, 'C:\\src')

  test.each([
    ['npx', 'C:\\bin\\npx.cmd'],
    ['tool.cmd', 'C:\\bin\\tool.cmd'],
    ['C:\\bare\\server', 'C:\\bare\\server'],
    ['nothing', undefined],
  ])('%s: %s', (command, file) => {
    expect(find(command)).toBe(file)
  })
})
