/**
 * The syntax of `.env` files.
 */
import { expect, test } from 'vitest'
import { parseEnvFile } from '../../../src/pipeline/resolve/env-file.ts'

test.each([
  ['A=1', { A: '1' }],
  ['  A = 1  ', { A: '1' }],
  ['export A=1', { A: '1' }],
  ['A=', { A: '' }],
  ['A=x=y', { A: 'x=y' }],
  ['A=1 # one', { A: '1' }],
  ['A= # none', { A: '' }],
  ['A=a#b', { A: 'a#b' }],
  ['# A=1\n\nB=2', { B: '2' }],
  ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
  ['\uFEFFA=1', { A: '1' }],
  ["A='it # is $B \\n' # said", { A: 'it # is $B \\n' }],
  ['A="one\\ntwo \\"three\\" \\\\ four"', { A: 'one\ntwo "three" \\ four' }],
  ['A="one\ntwo"\nB=3', { A: 'one\ntwo', B: '3' }],
  ["A='one\ntwo'\nB=3", { A: 'one\ntwo', B: '3' }],
  ['A=1\nA=2', { A: '2' }],
  ['__proto__=1', JSON.parse('{"__proto__":"1"}') as object],
])('%j', (text, expected) => {
  const { variables, badLines } = parseEnvFile(text)
  expect([...variables]).toEqual(Object.entries(expected))
  expect(badLines).toEqual([])
})

test('lines that are none are counted, and the others read', () => {
  const { variables, badLines } = parseEnvFile('A=1\nnothing\nB="two\nlines"\n=x\nC=\'open\nD="a" b\nE=5')
  expect([...variables]).toEqual([
    ['A', '1'],
    ['B', 'two\nlines'],
    ['E', '5'],
  ])
  expect(badLines).toEqual([2, 5, 6, 7])
})
