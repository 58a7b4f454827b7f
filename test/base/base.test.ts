/**
 * base: what the language lacks.
 */
import { inspect } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digest } from '../../src/base/digest.ts'
import { editDistance, findNearest } from '../../src/base/edit-distance.ts'
import { toPrintable, toPrintableJson, toPrintableLines } from '../../src/base/printable.ts'
import { Secret } from '../../src/base/secret.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { stripControls } from '../../src/base/strip-controls.ts'
import { stripInvisible } from '../../src/base/strip-invisible.ts'
import { Turns } from '../../src/base/turns.ts'
import { matchesWildcard } from '../../src/base/wildcard.ts'

describe('sha256', () => {
  // From FIPS 180-4, and one that is not ASCII.
  test.each([
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['é', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
  ])('is the hash of the text in UTF-8: %j', (text, hash) => {
    expect(sha256(text)).toBe(hash)
  })
})

describe('wildcard', () => {
  test.each([
    ['github', 'github', true],
    ['github', 'githubx', false],
    ['git*', 'github', true],
    ['*hub', 'github', true],
    ['g*h*b', 'github', true],
    ['g*h*b', 'gitlab', false],
    ['*', '', true],
    ['a*a', 'a', false],
    ['https://*.example.com/*', 'https://a.example.com/x/y', true],
    ['a.b', 'axb', false],
  ])('`%s` on `%s` is %s', (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected)
  })

  test('agrees with the regular expression that says the same', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^]*')}$`)
        expect(matchesWildcard(pattern, text)).toBe(expression.test(text))
      }),
    )
  })

  test('a pattern full of stars does not take for ever', () => {
    expect(matchesWildcard('*a'.repeat(5000), 'a'.repeat(4999))).toBe(false)
  })
})

describe('printable', () => {
  test('escapes what could move the cursor, hide or turn text around', () => {
    expect(toPrintable('a\u001b[31mb\u200bc\u202ed\u{e0041}\u0000\u009b\n')).toBe(
      'a\\x1b[31mb\\u{200b}c\\u{202e}d\\u{e0041}\\x00\\x9b\\x0a',
    )
  })

  test('leaves letters, emoji and accents alone', () => {
    for (const text of ['Größe 😀 日本', '⚠️ careful 👩‍💻 👍🏽 1️⃣ ❤️‍🔥', 'می‌خواهم क्‍ष']) {
      expect(toPrintable(text)).toBe(text)
    }
  })

  test('a row of marks behind an emoji is no emoji', () => {
    expect(toPrintable(`⚠${'\ufe0f\ufe0e'.repeat(2)}`)).toBe('⚠\ufe0f\ufe0e\\u{fe0f}\\u{fe0e}')
  })

  test('lines and tabs of a text stay, and nothing else that moves the cursor', () => {
    expect(toPrintableLines('a\tb\r\nc\rd\n\u001b[2K⚠️\u202e')).toBe('a\tb\nc\\x0dd\n\\x1b[2K⚠️\\u{202e}')
  })

  test('JSON parses back to the same value and holds nothing unprintable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = toPrintableJson({ text })
        expect(JSON.parse(json)).toEqual({ text })
        expect(toPrintable(json)).toBe(json)
      }),
    )
  })
})

describe('edit distance', () => {
  test('what is too long to be typed is near to nothing, and takes no time', () => {
    const before = performance.now()
    const long = 'x'.repeat(100_000)
    expect(findNearest(long, [`${long}y`, 'x'])).toBeUndefined()
    expect(findNearest('x', [long])).toBeUndefined()
    expect(performance.now() - before).toBeLessThan(1000)
  })

  test('finds the slip of the finger, and does not guess wildly', () => {
    expect(findNearest('githib', ['gitlab', 'github', 'files'])).toBe('github')
    expect(findNearest('lsit', ['list', 'get'])).toBe('list')
    expect(findNearest('xyz', ['github', 'files'])).toBeUndefined()
  })

  test('is a distance', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a))
        expect(editDistance(a, b) === 0).toBe(a === b)
      }),
    )
  })
})

describe('secret', () => {
  test('shows itself to nobody who does not ask for it by name', () => {
    const secret = new Secret('hunter2')
    const shown = [
      String(secret),
      `${secret.toString()}`,
      JSON.stringify({ secret }),
      inspect({ secret }),
      inspect(secret),
    ]
    expect(shown.join(' ')).not.toContain('hunter2')
    expect(secret.reveal()).toBe('hunter2')
  })
})

describe('digest', () => {
  test('is the same for the same value, and another for another', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(digest(structuredClone(a))).toBe(digest(a))
        if (toSorted(a) !== toSorted(b)) expect(digest(a)).not.toBe(digest(b))
      }),
    )
  })

  test.each([
    [['ab'], ['a', 'b']],
    [
      ['a', ['b']],
      ['a', 'b'],
    ],
    [1, '1'],
    [null, 'null'],
    [{ a: 'b' }, ['a', 'b']],
    [[], {}],
    [[[], []], [[[]]]],
  ])('tells %j from %j', (a, b) => {
    expect(digest(a)).not.toBe(digest(b))
  })

  test('does not mind the order of keys, or depth', () => {
    expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }))
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(digest(deep)).toBe(digest(deep))
    const circle: Record<string, unknown> = {}
    Object.assign(circle, { a: circle, b: circle })
    expect(digest(circle)).toBe(digest(circle))
  })

  /** -0 is 0 in JSON. */
  function toSorted(value: unknown): string {
    return JSON.stringify(value, (_, one: unknown) =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))
        : one,
    )
  }
})

describe('strip-controls', () => {
  test.each([
    ['plain text\twith\nlines', 'plain text\twith\nlines'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\', 'link'],
    ['\u009d0;title\u009cx', 'x'],
    ['a\u001b(Bb\u001b7c', 'abc'],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['no end \u001b]0;title', 'no end 0;title'],
    ['cut \u001b[31', 'cut 31'],
    ['\u001b\u001b[31m[31mput together', '31mput together'],
    ['\u0000\u0007\u0008\u007f\u0085', ''],
    ['naïve 漢字 🙂', 'naïve 漢字 🙂'],
  ])('%j', (text, stripped) => {
    expect(stripControls(text)).toBe(stripped)
  })

  test('is linear: a megabyte of beginnings without an end', () => {
    const before = performance.now()
    stripControls('\u001b]'.repeat(500_000))
    stripControls('\u001b['.repeat(500_000))
    stripControls(`\u001b[${'0'.repeat(1_000_000)}`)
    expect(performance.now() - before).toBeLessThan(2000)
  })

  test.each(['\u0090', '\u0098', '\u009d', '\u009e', '\u009f', '\u001b]\u009d', '\u009da'])(
    'is linear: nothing but %j, the beginning of a text that never ends',
    (beginning) => {
      const before = performance.now()
      const text = beginning.repeat(200_000)
      expect(stripControls(text)).toMatch(/^a*$/)
      expect(stripInvisible(text)).toMatch(/^[\]a]*$/)
      expect(performance.now() - before).toBeLessThan(2000)
    },
  )
})

describe('turns', () => {
  test('are taken one at a time, in order, whatever becomes of those before', async () => {
    const turns = new Turns()
    const log: string[] = []
    const work =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        log.push(`${name} begins`)
        await Promise.resolve()
        log.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      }
    const controller = new AbortController()
    const refuse = (): Error => new Error('left')
    const all = Promise.allSettled([
      turns.take(work('a')),
      turns.take(work('b', true)),
      turns.take(work('c'), { signal: controller.signal, refuse }),
      turns.take(work('d'), { signal: AbortSignal.abort(), refuse }),
      turns.take(work('e')),
      turns.take(() => {
        throw new Error('f')
      }),
      turns.take(work('g')),
    ])
    controller.abort()
    expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
      'a',
      'Error: b',
      'Error: left',
      'Error: left',
      'e',
      'Error: f',
      'g',
    ])
    expect(log).toEqual(['a', 'b', 'e', 'g'].flatMap((name) => [`${name} begins`, `${name} ends`]))
  })
})
