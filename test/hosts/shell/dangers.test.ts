/** What servers, terminals and projects can send that the shell must not fall for. */
import { describe, expect, it } from 'vitest'
import { callTools } from '../../../src/hosts/shell/agent/call-tools.ts'
import { createElicitAnswerers, fieldsOf } from '../../../src/hosts/shell/elicit.ts'
import { mayHoldSecret } from '../../../src/hosts/shell/history.ts'
import { readKeys } from '../../../src/hosts/shell/keys.ts'
import { openDialog } from '../../../src/hosts/shell/lines.ts'
import { openQuestion } from '../../../src/hosts/shell/question-state.ts'
import { hasRoom, type Question } from '../../../src/hosts/shell/questions.ts'
import { statusLine } from '../../../src/hosts/shell/screen/status-line.ts'
import { NO_COLORS } from '../../../src/hosts/shared/paint.ts'

const ESC = '\u001b]0;x\u0007'

describe('a page that a server wants visited', () => {
  async function ask(url: string): Promise<{ action: unknown; notes: string[]; asked: number }> {
    const notes: string[] = []
    let asked = 0
    const { url: answer } = createElicitAnswerers({
      ask: async () => {
        asked += 1
        return undefined
      },
      paint: NO_COLORS,
      browser: { open: () => Promise.reject(new Error('it was opened')) },
      columns: () => 80,
      note: (text) => void notes.push(text),
    })
    const { signal } = new AbortController()
    const { action } = await answer!({ mode: 'url', url, message: 'go' }, { server: 's', signal })
    return { action, notes, asked }
  }

  it.each(['file:///x', '/bin/x', 'javascript:alert(1)', 'vscode://x', 'http://example.test/'])(
    'is declined when it is %s',
    async (url) => {
      const { action, notes, asked } = await ask(url)
      expect([action, asked]).toEqual(['decline', 0])
      expect(notes).toEqual([`s wanted ${url} opened: declined, since it is no https page`])
    },
  )

  it.each(['https://example.test/a', 'http://127.0.0.1:1/a'])('is asked about when it is %s', async (url) => {
    expect(await ask(url)).toEqual({ action: 'cancel', notes: [], asked: 1 })
  })
})

describe('plain lines', () => {
  const open = (question: Question): ReturnType<typeof openDialog> =>
    openDialog(openQuestion({ id: 1, question, isAwaited: true }, 0))

  it('show no escape sequence of a server', () => {
    const option = { value: `v${ESC}`, label: `l${ESC}`, hint: `h${ESC}` }
    const choice = open({ kind: 'choice', title: `t${ESC}`, options: [option] })
    expect(choice.first.join()).not.toContain('\u001b')
    const fields = fieldsOf({ properties: { a: { title: ESC, description: ESC, enum: [ESC] } } })
    const form = open({ kind: 'form', title: ESC, fields })
    expect(form.first.join()).not.toContain('\u001b')
    expect(JSON.stringify(form.take('other'))).not.toContain('\\u001b')
  })

  it('send the default of a number as a number, and only one that is allowed', () => {
    const form = (field: object): ReturnType<typeof openDialog> =>
      open({
        kind: 'form',
        title: 't',
        fields: fieldsOf({ properties: { n: { type: 'integer', ...field } } }),
      })
    const good = form({ default: 7 })
    good.take('')
    expect(good.take('yes')).toEqual({ kind: 'answered', answer: { n: 7 } })
    expect(form({ default: 7, maximum: 5 }).take('')).toMatchObject({
      kind: 'again',
      lines: ['this must be 5 or less'],
    })
  })

  it('take the text that is there already, and say that a secret is seen', () => {
    const text = open({ kind: 'text', title: 't', initial: 'as it was', isSecret: true })
    expect(text.first).toContain('(this terminal shows what you type)')
    expect(text.take('')).toEqual({ kind: 'answered', answer: 'as it was' })
  })
})

it('the status line shows no escape sequence in the name of a server', () => {
  const servers = [{ name: `a${ESC}`, state: 'failed', tools: 0 }] as const
  const here = { paths: {}, home: '/', cwd: '/' } as never
  const view = { paint: NO_COLORS, columns: 80, here }
  expect(statusLine({ servers, mode: 'default', model: 'none' }, view)).not.toContain('\u001b')
})

it('a command that takes many rows has no room above its question, in however few lines it was written', () => {
  const size = { columns: 60, rows: 24 }
  expect(hasRoom(['short', 'lines'], size)).toBe(true)
  expect(hasRoom([`node ${'--flag '.repeat(200)}`], size)).toBe(false)
})

describe('the file of what was typed', () => {
  it.each([
    '/mcp add x https://example.test -H "Authorization: Bearer abc"',
    '/mcp add x --header=a:b https://example.test',
    '/mcp add x --token abc https://example.test',
    '/mcp add x -e KEY=abc -- node x',
    '/mcp add x --env KEY=abc -- node x',
    '/mcp  add-json x {}',
    '/mcp add x https://example.test/?key=abc',
    '/mcp add x https://me:abc@example.test/',
  ])('is not given %s', (line) => expect(mayHoldSecret(line)).toBe(true))

  it.each(['/mcp add x -- node server.js', '/mcp list', 'add --token to the docs', '/call x y --env a'])(
    'is given %s',
    (line) => expect(mayHoldSecret(line)).toBe(false),
  )
})

describe('a pasted text that nothing closes', () => {
  it('ends with Ctrl-C', () => {
    expect(readKeys('\u001b[200~one\u0003').keys).toEqual([
      { name: 'paste', text: 'one' },
      { name: 'interrupt' },
    ])
  })

  it('ends when nothing follows', () => {
    expect(readKeys('\u001b[200~one')).toEqual({ keys: [], rest: '\u001b[200~one' })
    expect(readKeys('\u001b[200~one', true)).toEqual({ keys: [{ name: 'paste', text: 'one' }], rest: '' })
  })
})

it('a call that the board refuses to judge has a result, like any other', async () => {
  const board = { call: () => Promise.reject(new Error('no such rule')) } as never
  const { signal } = new AbortController()
  const call = { id: '1', name: 'mcp__x__y', input: {} }
  const parts = await callTools(board, [call], { signal, tell: () => undefined, images: 'name' })
  expect(parts).toMatchObject([
    { toolCallId: '1', output: { type: 'error-text', value: expect.stringContaining('no such rule') } },
  ])
})
