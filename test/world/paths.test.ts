/**
 * Our own `join` gives what Node's gives, whatever it is asked.
 */
import { posix, win32 } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pathsOf } from '../../src/world/node/paths.ts'

const part = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '/',
    '//',
    './a',
    '../a',
    'a/',
    '/a',
    'a/./b',
    'a/../b',
    '.config',
    '..a',
    'a..',
    '/.',
  ),
  fc.string({ maxLength: 6 }),
)

describe('paths', () => {
  test('join is the join of Node, for clean paths and for all others', () => {
    const { join } = pathsOf('linux')
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(join(...parts)).toBe(posix.join(...parts))
      }),
      { numRuns: 5000 },
    )
  })

  test('a clean path is joined as it stands', () => {
    expect(pathsOf('darwin').join('/home/ann', '.config', 'plugboard')).toBe('/home/ann/.config/plugboard')
  })

  test('Windows has its own rules', () => {
    expect(pathsOf('win32')).toBe(win32)
  })
})
