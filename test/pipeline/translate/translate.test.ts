/**
 * translate: outcomes in, what a model reads out.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallOutcome, NotSent, ToolResult } from '../../../src/model/outcome.ts'
import { createSpill } from '../../../src/pipeline/translate/spill.ts'
import { translate } from '../../../src/pipeline/translate/translate.ts'
import { createProblem } from '../../../src/problem/problem.ts'
import { createMemoryWorld } from '../../worlds/memory.ts'

const details = { serverName: 's', mcpToolName: 't', name: 'mcp__s__t', label: 'mcp:s via Plugboard' }

function toResult(
  outcome: CallOutcome,
  maxTokens = 25_000,
  keep = (): string | undefined => '/kept',
): ToolResult {
  return translate(outcome, { details, durationMs: 5, budget: { maxTokens, keep } })
}

const done = (result: object): CallOutcome => ({ kind: 'done', result: result as Record<string, unknown> })
const textOf = (content: unknown, more: object = {}): string => toResult(done({ content, ...more })).text

describe('content', () => {
  test.each<[string, unknown, string]>([
    [
      'texts, in order',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    ['nothing', [], '(no content)'],
    ['no list at all', undefined, '(no content)'],
    ['one block where a list is due', { type: 'text', text: 'a' }, 'a'],
    ['text where a list is due', 'a', 'a'],
    ['text in the list', ['a', 1, null], 'a\n1\nnull'],
    ['a link', [{ type: 'resource_link', uri: 'a:b' }], '[resource link: a:b]'],
    [
      'a link with all it can have',
      [
        {
          type: 'resource_link',
          uri: 'a:b',
          name: 'n',
          title: 'T',
          mimeType: 'x/y',
          size: 7,
          description: 'D',
        },
      ],
      '[resource link "T": a:b, x/y, 7 bytes] D',
    ],
    [
      'a resource that is text',
      [{ type: 'resource', resource: { uri: 'a:b', text: 'x' } }],
      '[resource: a:b]\nx',
    ],
    [
      'a resource that is a picture',
      [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'image/png', blob: 'AAAA' } }],
      '[resource: a:b] [image: image/png, 3 bytes]',
    ],
    ['a resource without anything', [{ type: 'resource', resource: {} }], '[resource: without a uri] {}'],
    [
      'something unknown',
      [{ type: 'video', data: 'x'.repeat(600) }],
      `[content of type "video"] {"type":"video","data":"${'x'.repeat(500)}… (600 characters)"}`,
    ],
    ['text that is none', [{ type: 'text', text: 5 }], '[content of type "text"] {"type":"text","text":5}'],
    ['a picture without data', [{ type: 'image' }], '[content of type "image"] {"type":"image"}'],
    [
      'a picture whose data is padded',
      [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
      '[image: image/png, 8 bytes]',
    ],
    ['a picture of unknown kind', [{ type: 'image', data: '' }], '[image: unknown type, 0 bytes]'],
    [
      'a large picture',
      [{ type: 'image', data: 'A'.repeat(2_000_000), mimeType: 'image/png' }],
      '[image: image/png, 1.5 MB]',
    ],
    ['half a character', ['a\ud800b'], 'a\ufffdb'],
  ])('%s', (_, content, text) => {
    expect(textOf(content)).toBe(text)
  })

  test('what is structured is kept, and shown where there is nothing else', () => {
    expect(toResult(done({ content: [], structuredContent: { a: 1 } }))).toMatchObject({
      text: '{"a":1}',
      structuredContent: { a: 1 },
    })
    expect(toResult(done({ structuredContent: [1] })).text).toBe('[1]')
    const empty = [{ type: 'text', text: ' \n' }]
    expect(toResult(done({ content: empty, structuredContent: { a: 1 } })).text).toBe('{"a":1}')
    expect(toResult(done({ content: ['x'], structuredContent: 7 }))).toMatchObject({
      text: 'x',
      structuredContent: 7,
    })
  })

  test('what is nested without end is not shown, and nothing breaks', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    expect(toResult(done({ structuredContent: deep })).text).toBe('(nested too deep to show)')
    expect(textOf([{ type: 'odd', deep }])).toBe('[content of type "odd"] (nested too deep to show)')
  })

  test('nothing that a terminal obeys is left', () => {
    const evil =
      'a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\u0000\u0008\u007fe\r\nf\rg\u001bPq\u001b\\h\ti\u001b'
    expect(textOf([{ type: 'text', text: evil }])).toBe('abcde\nf\ngh\ti')
    expect(textOf([{ type: 'resource_link', uri: 'a:\u001b[31mb' }])).toBe('[resource link: a:b]')
  })
})

describe('prefixes', () => {
  const problem = createProblem({ code: 'call/x', message: 'it is so', notes: ['note'], hints: ['hint'] })
  const all = 'it is so\nnote\nhint'

  test('what the tool calls an error begins with `Error: `, once', () => {
    const error = (text: string): ToolResult =>
      toResult({ kind: 'tool-error', result: { content: [{ type: 'text', text }], isError: true } })
    expect(error('no').text).toBe('Error: no')
    expect(error('Error: no').text).toBe('Error: no')
    expect(error('no').isError).toBe(true)
  })

  test.each<[CallOutcome, string]>([
    [{ kind: 'failed', problem }, `MCP error: ${all}`],
    [{ kind: 'unknown', problem }, `MCP error: ${all}`],
    [{ kind: 'aborted', wasSent: false, problem }, `MCP error: ${all}`],
    [{ kind: 'not-sent', code: 'not-connected', problem }, `MCP error: ${all}`],
    ...(['denied', 'bad-arguments', 'loop-guard', 'unknown-tool'] satisfies NotSent[]).map(
      (code): [CallOutcome, string] => [{ kind: 'not-sent', code, problem }, `Error: ${all}`],
    ),
  ])('%j', (outcome, text) => {
    expect(toResult(outcome)).toMatchObject({ text, isError: true, outcome: outcome.kind, problem })
  })
})

describe('the budget', () => {
  const letters = (count: number): CallOutcome => done({ content: ['a'.repeat(count)] })

  test('leaves alone what fits, and asks for no file', () => {
    const keep = (): string => {
      throw new Error('kept')
    }
    expect(toResult(letters(100_000), 25_000, keep).text).toHaveLength(100_000)
    expect(toResult(letters(500_000), 0, keep).text).toHaveLength(500_000)
  })

  test('shows the beginning and the end of what does not, and where the whole is', () => {
    const text = `${'a'.repeat(100_000)}${'z'.repeat(10)}`
    const kept: string[] = []
    const result = translate(done({ content: [text] }), {
      details,
      durationMs: 5,
      budget: { maxTokens: 25_000, keep: (all) => (kept.push(all), '/results/1.txt') },
    })
    expect(kept).toEqual([text])
    expect(result.text).toBe(
      `${'a'.repeat(6000)}\n\n[… 92010 characters are left out here; the output has about 25003 tokens, all of it is in /results/1.txt …]\n\n${'a'.repeat(1990)}${'z'.repeat(10)}`,
    )
    expect(result.details.savedTo).toBe('/results/1.txt')
  })

  test('shows more when it could not be saved', () => {
    const result = toResult(letters(200_000), 25_000, () => undefined)
    expect(result.text.length).toBeGreaterThan(99_000)
    expect(result.text).toContain('it could not be saved')
    expect(result.details).toEqual({ ...details, isCut: true })
  })

  test('counts what other letters take, and cuts none in two', () => {
    expect(toResult(done({ content: ['漢'.repeat(33_000)] })).details.savedTo).toBeUndefined()
    const { text, details: saved } = toResult(done({ content: ['𝒳'.repeat(60_000)] }))
    expect(saved.savedTo).toBe('/kept')
    expect(/\p{Cs}/u.test(text)).toBe(false)
  })

  test('holds for errors', () => {
    const result = toResult({ kind: 'tool-error', result: { content: ['a'.repeat(200_000)], isError: true } })
    expect(result.text.startsWith('Error: aaa')).toBe(true)
    expect(result.text.length).toBeLessThan(9000)
  })
})

describe('the files', () => {
  const open = (now: number, files: Record<string, string> = {}): ReturnType<typeof createMemoryWorld> =>
    createMemoryWorld({ now, files })
  const NOW = Date.UTC(2026, 10, 16, 12)

  test('are named after the time and the tool, safely', () => {
    const world = open(NOW)
    const file = createSpill(world, '/cache').keep('text', 'mcp__a/../b__c')
    expect(file).toBe('/cache/results/20261116T120000000Z-i00000-mcp__a____b__c.txt')
    expect(world.files.read(file!)).toEqual({ kind: 'text', text: 'text' })
  })

  test('older than a week, and more than fifty, are removed; what is not ours is not', () => {
    const name = (time: number): string =>
      `/cache/results/${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}-abcdef-t.txt`
    const old = name(NOW - 8 * 86_400_000)
    const recent = Array.from({ length: 60 }, (_, i) => name(NOW - 1000 * (i + 1)))
    const all = Object.fromEntries([old, ...recent, '/cache/results/mine.txt'].map((file) => [file, 'x']))
    const world = open(NOW, all)
    createSpill(world, '/cache').keep('new', 't')
    const left = world.files.list('/cache/results')
    expect(left).toHaveLength(51)
    expect(left).toContain('mine.txt')
    expect(left).not.toContain(old.slice('/cache/results/'.length))
  })

  test('of somebody else do not push out those of the user, nor of a third', () => {
    const world = open(NOW)
    const spill = createSpill(world, '/cache')
    const first = [spill.keep('mine', 't'), spill.keep("bob's", 't', 'bob')]
    let random = 0
    const later = { ...world.clock, now: () => NOW + 1000, random: () => (random += 0.001) }
    const guest = createSpill({ ...world, clock: later }, '/cache')
    const theirs = Array.from({ length: 60 }, (_, i) => guest.keep(`${i}`, 't', 'ada')!)
    const left = world.files.list('/cache/results').map((file) => `/cache/results/${file}`)
    expect(left).toHaveLength(52)
    expect(left).toEqual(expect.arrayContaining([...first, ...theirs.slice(10)]))
    // Whose it is cannot be read off its name.
    expect(left.join(' ')).not.toMatch(/ada|bob/)
  })
})

describe('fuzz', () => {
  const block = fc.oneof(
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link'),
          fc.jsonValue(),
        ),
        text: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        data: fc.oneof(fc.base64String(), fc.jsonValue()),
        mimeType: fc.oneof(fc.constantFrom('image/png', 'text/plain'), fc.jsonValue()),
        uri: fc.oneof(fc.webUrl(), fc.jsonValue()),
        name: fc.jsonValue(),
        title: fc.jsonValue(),
        size: fc.jsonValue(),
        resource: fc.oneof(
          fc.record(
            {
              uri: fc.jsonValue(),
              text: fc.jsonValue(),
              blob: fc.oneof(fc.base64String(), fc.jsonValue()),
              mimeType: fc.string(),
            },
            { requiredKeys: [] },
          ),
          fc.jsonValue(),
        ),
        ['__proto__']: fc.constant({ polluted: true }),
        constructor: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  )
  const anyResult = fc.record(
    {
      content: fc.oneof(fc.array(block, { maxLength: 6 }), fc.jsonValue()),
      structuredContent: fc.jsonValue(),
      isError: fc.jsonValue(),
      _meta: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )

  test('10,000 results of any shape: no throw, nothing polluted, nothing obeyed, and never too long', () => {
    const MAX_TOKENS = 200
    let saved = 0
    fc.assert(
      fc.property(anyResult, fc.boolean(), (result, isError) => {
        // As it comes from the wire, where `__proto__` is a name like any other.
        const raw = JSON.parse(JSON.stringify(result)) as Record<string, unknown>
        const before = JSON.stringify(raw)
        const translated = toResult({ kind: isError ? 'tool-error' : 'done', result: raw }, MAX_TOKENS)
        expect(JSON.stringify(raw)).toBe(before)
        expect(new TextEncoder().encode(translated.text).length).toBeLessThan(MAX_TOKENS * 4 + 200)
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        expect(/[\x00-\x08\x0b-\x1f\x7f-\x9f]|\p{Cs}/u.test(translated.text)).toBe(false)
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
        expect(translated.text).not.toBe('')
        expect(translated.media.every(({ data }) => typeof data === 'string')).toBe(true)
        if (translated.details.savedTo !== undefined) saved += 1
      }),
      { numRuns: 10_000 },
    )
    expect(saved).toBeGreaterThan(10)
  })
})
