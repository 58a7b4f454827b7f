/**
 * call: the command in a terminal: how far a tool is, and a person who has waited long enough.
 */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sayProgress } from '../../../src/hosts/cli/progress-line.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'

const server = (program: string): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../servers/${program}.mjs`, import.meta.url))],
})

let machine: Machine
beforeAll(() => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: { work: server('outcomes'), progress: server('progress') },
    },
    './a-file': 'x',
  })
})
afterAll(() => machine[Symbol.dispose]())

describe('in a terminal', () => {
  test('shows how far the tool is, in a line that is gone when it is done', async () => {
    const line = 'plugboard call progress work steps=3 ms=30'
    const { code, raw } = await runInTerminal(machine, line, { columns: 80 })
    const clear = '\r\u001b[K'
    expect(raw).toContain(
      [
        `${clear}[======--------------] 33%  step 1 of 3`,
        `${clear}[=============-------] 66%  step 2 of 3`,
        `${clear}[====================] 100%  step 3 of 3`,
        `${clear}worked 3 steps`,
      ].join(''),
    )
    expect(code).toBe(0)
  })

  test.each([
    ['less than nothing', { progress: -1, total: 4 }, `[${'-'.repeat(20)}] 0%`],
    ['more than everything', { progress: 9, total: 4, message: 'x' }, `[${'='.repeat(20)}] 100%  x`],
    ['of nobody knows how much', { progress: 7, message: 'found' }, '7  found'],
    ['of nothing', { progress: 1, total: 0 }, '1'],
    ['in words alone', { message: 'warming up' }, 'warming up'],
    ['in nothing that can be said', { progress: '1', total: null }, ''],
  ])('progress: %s', (_, progress, line) => {
    expect(sayProgress(progress)).toBe(line)
  })

  test('tabs and emoji of an answer are shown, and what hides is seen', async () => {
    const result = JSON.stringify({ content: [{ type: 'text', text: 'a\tb ⚠️ x\u202ey' }] })
    const line = `plugboard call work sends --args '{"result":${result}}'`
    const { text } = await runInTerminal(machine, line, { columns: 80 })
    expect(text).toContain('a\tb ⚠️ x\\u{202e}y')
  })

  test('Ctrl-C aborts the call, and the server is told', async () => {
    // A tool that has begun says so with its first step.
    const line = 'plugboard call progress work steps=600 ms=100'
    const { code, text } = await runInTerminal(machine, line, {
      columns: 80,
      answers: [{ when: 'step 1 of 600', keys: KEYS.interrupt }],
    })
    expect(text).toContain('error: the call of `progress.work` was aborted after it was sent')
    expect(code).toBe(130)
    const { stdout } = await machine.run(['logs', 'progress'])
    expect(stdout).toMatch(/cancelled \d+/)
  })

  test('Ctrl-C with --json says what became of it', async () => {
    const line = 'plugboard call progress work steps=600 ms=100 --output json'
    const { code, text } = await runInTerminal(machine, line, {
      columns: 80,
      answers: [{ when: 'step 1 of 600', keys: KEYS.interrupt }],
    })
    expect(code).toBe(130)
    expect(text).toContain('"outcome": "aborted"')
    expect(text).toContain('"code": "call/aborted"')
  })

  test('nothing that a terminal obeys comes from the server', async () => {
    const { raw } = await runInTerminal(machine, 'plugboard call work mixed', { columns: 80 })
    expect(raw).toContain('first red')
    expect(raw).not.toContain('\u001b[31m')
  })
})

describe('to a pipe', () => {
  test('says nothing of how far it is', async () => {
    expect(await machine.run(['call', 'progress', 'work', 'steps=2', 'ms=10'])).toEqual({
      code: 0,
      stdout: 'worked 2 steps\n',
      stderr: '',
    })
  })

  test('gives all of a long answer', async () => {
    const { stdout } = await machine.run(['call', 'work', 'big', 'size=300000'])
    expect(stdout).toBe(`${'x'.repeat(300_000)}\nthe end\n`)
  })

  test('an empty answer is empty', async () => {
    const result = { content: [{ type: 'text', text: '' }] }
    expect(await machine.run(['call', 'work', 'sends', `result=${JSON.stringify(result)}`])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('a folder for media that is none is told, below the answer', async () => {
    const { code, stdout, stderr } = await machine.run(['call', 'work', 'mixed', '--save-media', 'a-file/in'])
    expect([code, stdout]).toEqual([1, expect.stringContaining('first red')])
    expect(stderr).toMatch(/^error: `.*mixed-1.png` could not be written$/m)
    expect(stderr).not.toContain('bug')
  })

  test('media that are none are told, and what is there is not written over', async () => {
    const image = (data: string): object => ({ type: 'image', mimeType: 'image/png', data })
    const result = JSON.stringify({ content: [image('AAAA'), image('not base64!')] })
    const args = ['call', 'work', 'sends', `result=${result}`, '--save-media', 'out', '--json']
    const first = await machine.run(args)
    const second = await machine.run(args)
    const savedBy = ({ stdout }: { stdout: string }): unknown =>
      (JSON.parse(stdout) as { saved: { file: string }[] }).saved.map(({ file }) => machine.shorten(file))
    expect([first.code, savedBy(first), savedBy(second)]).toEqual([
      1,
      ['./out/sends-1.png'],
      ['./out/sends-2.png'],
    ])
    expect(JSON.parse(first.stdout)).toMatchObject({ problems: [{ code: 'call/bad-media' }] })
  })
})
