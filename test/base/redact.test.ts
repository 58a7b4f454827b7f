/**
 * redact: secrets in any spelling, and nothing else.
 */
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../src/base/redact.ts'
import { Secret } from '../../src/base/secret.ts'

const redactorOf = (...values: string[]): ((text: string) => string) =>
  createRedactor(values.map((value) => new Secret(value)))

describe('a redactor', () => {
  test('hides every occurrence', () => {
    expect(redactorOf('swordfish')('swordfish and swordfish, not sword')).toBe(
      '‹secret› and ‹secret›, not sword',
    )
  })

  test('hides a secret that begins with another as a whole', () => {
    expect(redactorOf('abcd', 'abcdef')('abcdef abcd')).toBe('‹secret› ‹secret›')
  })

  const odd = 'p"a\\s/s w+ö'

  test.each([
    ['JSON', JSON.stringify({ key: odd }), '{"key":"‹secret›"}'],
    ['a URL', `https://x/?q=${encodeURIComponent(odd)}`, 'https://x/?q=‹secret›'],
    ['a URL in lower case', `https://x/?q=${encodeURIComponent(odd).toLowerCase()}`, 'https://x/?q=‹secret›'],
    ['a form', new URLSearchParams({ q: odd }).toString(), 'q=‹secret›'],
    ['base64', Buffer.from(odd).toString('base64'), '‹secret›'],
    ['base64 with an end', Buffer.from('swordfish1').toString('base64'), '‹secret›=='],
    ['base64url', Buffer.from(odd).toString('base64url'), '‹secret›'],
  ])('hides it in %s', (_, text, expected) => {
    expect(redactorOf(odd, 'swordfish1')(text)).toBe(expected)
  })

  test('takes a secret for text, not for a pattern', () => {
    expect(redactorOf('a.*[b](c)|$^')('a.*[b](c)|$^ axxb')).toBe('‹secret› axxb')
  })

  test('hides each line of a key', () => {
    const key = '-----BEGIN KEY-----\nMIIBVQIBADANBg\nshort\n-----END KEY-----\n'
    expect(redactorOf(key)('line: MIIBVQIBADANBg')).toBe('line: ‹secret›')
    expect(redactorOf(key)('a short line')).toBe('a short line')
    expect(redactorOf(key)(`all: ${key}`)).toBe('all: ‹secret›\n')
  })

  test('with nothing worth hiding gives back the very text', () => {
    const text = 'abc  '
    expect(redactorOf()(text)).toBe(text)
    expect(redactorOf('', 'abc', '    ')(text)).toBe(text)
  })

  test('hides the beginning of one that the end of the text cuts off', () => {
    const long = `${'ab'.repeat(50)}-and-more`
    expect(redactorOf(long)(`it is ${long} and ${long.slice(0, 40)}`)).toBe('it is ‹secret› and ‹secret›')
    expect(redactorOf(long)(`it is ${long.slice(0, 101)}`)).toBe('it is ‹secret›')
    expect(redactorOf(long)(`it is ${long.slice(0, 40)}, and so on`)).toBe(
      `it is ${long.slice(0, 40)}, and so on`,
    )
    expect(redactorOf(long)(`it is ${long.slice(0, 8)}`)).toBe(`it is ${long.slice(0, 8)}`)
  })

  test('hides a secret of any length, and as many as there are', () => {
    const long = 'x(['.repeat(400_000)
    const many = Array.from({ length: 3000 }, (_, i) => `secret-number-${i}-of-many`)
    const redact = redactorOf(long, ...many)
    expect(redact(`a ${long} b ${many[7]} c ${JSON.stringify(many[2999])}`)).toBe(
      'a ‹secret› b ‹secret› c "‹secret›"',
    )
  })

  test('hides one that is a part of the mark', () => {
    expect(redactorOf('secret', 'swordfish')('swordfish secret')).toBe('‹secret› ‹secret›')
  })

  test('survives half a character', () => {
    expect(redactorOf('half\uD800')('a half\uD800 b')).toBe('a ‹secret› b')
  })

  test('goes through a megabyte of log with fifty secrets in less than a second', () => {
    const redact = redactorOf(...Array.from({ length: 50 }, (_, i) => `secret-number-${i}-of-many`))
    const line = 'GET /v1/items?page=12 200 14ms some ordinary words of a log with secret-number-x inside\n'
    const text = line.repeat(12_000)
    const start = performance.now()
    expect(redact(text)).toBe(text)
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
