/**
 * same-secret: every character is looked at, wherever the first difference is.
 */
import { expect, test } from 'vitest'
import { isSameSecret } from '../../src/base/same-secret.ts'

const SECRET = 'a-secret-that-clients-show'

test.each([
  [SECRET, true],
  [`${SECRET}x`, false],
  [SECRET + SECRET, false],
  [SECRET.slice(0, -1), false],
  [`x${SECRET.slice(1)}`, false],
  [`${SECRET.slice(0, -1)}x`, false],
  ['', false],
])('%j: %s', (given, isSame) => {
  expect(isSameSecret(given, SECRET)).toBe(isSame)
})

test('nothing is not a secret that anybody could show', () => {
  expect(isSameSecret('', '')).toBe(false)
})

test('a wrong beginning and a wrong end cost the same work', () => {
  const looksFor = (given: string): number => {
    let looks = 0
    const counted = {
      length: given.length,
      charCodeAt(at: number) {
        looks += 1
        return given.charCodeAt(at)
      },
    }
    isSameSecret(counted as unknown as string, SECRET)
    return looks
  }
  const wrongAtOnce = looksFor(`x${SECRET.slice(1)}`)
  expect(wrongAtOnce).toBe(SECRET.length)
  expect(looksFor(`${SECRET.slice(0, -1)}x`)).toBe(wrongAtOnce)
})
