/**
 * paths: those of the platform, whatever this machine is.
 */
import { posix, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { pathsOf } from '../../src/world/node/paths.ts'

test('each platform has the rules of its own', () => {
  expect(pathsOf('win32')).toBe(win32)
  expect(pathsOf('linux')).toBe(posix)
  expect(pathsOf('darwin')).toBe(posix)
})
