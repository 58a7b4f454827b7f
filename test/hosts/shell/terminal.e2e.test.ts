/** Keys, widths and terminals of every kind. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isAlive, officialEntry, serverEntry } from '../../boards/open.ts'
import { PRESS } from '../../processes/screen.ts'
import { resultsIn, type ModelRequest, type Say } from '../../servers/http/streaming-model.ts'
import { call, leave, openStage } from './stage.ts'

/** The last thing that was said to it. */
function echo({ messages }: ModelRequest): Say {
  const { content } = messages.at(-1)!
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return { kind: 'text', text: `Heard <${text.replaceAll('\n', '|')}>` }
}

const endless = Array.from({ length: 9 }, () => echo)

describe('the line in which one types', () => {
  it('takes several lines and what is pasted, and sends them with Enter', async () => {
    await using stage = await openStage({ script: endless })
    const { screen } = stage
    await screen.until('no servers')
    screen.type(`one${PRESS.altEnter}two\\${PRESS.enter}three`)
    await screen.do(PRESS.enter, 'Heard <one|two|three>')
    screen.type('\u001b[200~pasted\r\nlines\u001b[201~')
    await screen.do(PRESS.enter, 'Heard <pasted|lines>')
  })

  it('remembers what was typed, in a file for its user alone', async () => {
    await using stage = await openStage({ script: endless })
    await stage.screen.until('no servers')
    await stage.screen.do('remember me\r', 'Heard <remember me>')
    await leave(stage.screen)
    const after = stage.again()
    await after.until('no servers')
    await after.do(PRESS.up, '> remember me')
    await after.do(PRESS.enter, 'Heard <remember me>')
    const file = stage.machine.at('~/.local/state/plugboard/shell-history.jsonl')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toBe('"remember me"\n"remember me"\n')
  })

  it('completes commands, prompts of servers with their arguments, and resources', async () => {
    await using stage = await openStage({ servers: { all: officialEntry('everything') }, script: endless })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do(`/he${PRESS.tab}`, '> /help')
    await screen.do(`${PRESS.enter}/mcp__all__c${PRESS.tab}`, '/mcp__all__completable-prompt')
    await screen.do(`de${PRESS.tab}`, 'department=')
    await screen.do(`Eng${PRESS.tab}`, 'department=Engineering')
    screen.type('\u0015')
    await screen.do(`see @all:demo://resource/static/document/arch${PRESS.tab}`, 'architecture.md')
    await screen.do(PRESS.enter, 'Heard <see')
    expect(JSON.stringify(stage.model.requests.at(-1))).toContain(
      'Resource demo://resource/static/document/architecture.md of all:',
    )
  })

  it('sends the prompt of a server, filled in', async () => {
    await using stage = await openStage({ servers: { all: officialEntry('everything') }, script: endless })
    await stage.screen.until('1 ready')
    await stage.screen.do('/mcp__all__args-prompt city=Paris\r', /Heard <.*Paris/)
  })

  it('keeps what is typed in the middle of a turn for its end, prompts of servers too', async () => {
    await using stage = await openStage({
      servers: { x: serverEntry('progress'), all: officialEntry('everything') },
      script: [call('mcp__x__work', { steps: 4, ms: 200 }), { kind: 'text', text: 'First.' }, echo, echo],
    })
    const { screen, model } = stage
    await screen.until('2 ready')
    await screen.do('work\r', 'May work of x be called?')
    await screen.do('1', '[#####')
    screen.type('then this\r')
    const queued = await screen.do('/mcp__all__simple-prompt\r', 'queued: /mcp__all__simple-prompt')
    expect(queued).toContain('queued: then this')
    expect(queued).toContain('(sent when this turn is over; Esc stops it and gives you the text back)')
    const seen = await screen.until('Heard <This is a simple prompt without arguments.>')
    const order = ['First.', '> then this', 'Heard <then this>', '> /mcp__all__simple-prompt', 'Heard <This']
    expect(order.map((text) => seen.indexOf(text)).toSorted((a, b) => a - b)).toEqual(
      order.map((text) => seen.indexOf(text)),
    )
    // One conversation: every request goes on from the one before, whole.
    const said = model.requests.map(({ messages }) => JSON.stringify(messages).slice(0, -1))
    for (const [i, messages] of said.slice(1).entries()) expect(messages.startsWith(said[i]!)).toBe(true)
  })

  it('forgets the conversation with /clear, and stops the turn that runs', async () => {
    await using stage = await openStage({ script: [echo, { kind: 'hang', text: 'Once upon' }, echo] })
    const { screen, model } = stage
    await screen.until('no servers')
    await screen.do('remember this\r', 'Heard <remember this>')
    await screen.do('a story\r', 'Once upon')
    screen.type('/clear\r')
    await screen.untilGone('remember this')
    await screen.untilGone('Esc stops')
    await screen.do('hello\r', 'Heard <hello>')
    expect(model.requests.at(-1)!.messages.filter(({ role }) => role !== 'system')).toEqual([
      { role: 'user', content: 'hello' },
    ])
  })

  it('is given what was queued when the turn is stopped', async () => {
    await using stage = await openStage({ script: [{ kind: 'hang', text: 'Once upon' }] })
    const { screen } = stage
    await screen.until('no servers')
    await screen.do('a story\r', 'Once upon')
    await screen.do('and another\r', 'queued: and another')
    await screen.do(PRESS.escape, '· stopped')
    await screen.until('> and another')
    expect(stage.model.requests).toHaveLength(1)
  })
})

describe('what comes back', () => {
  it('is folded, and shown whole with Ctrl-O', async () => {
    const text = Array.from({ length: 12 }, (_, i) => `line ${i + 1}`).join('\n')
    await using stage = await openStage({
      servers: { x: serverEntry('outcomes') },
      script: [
        call('mcp__x__sends', { result: { content: [{ type: 'text', text }] } }),
        { kind: 'text', text: 'Done.' },
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('send\r', 'May sends of x be called?')
    const folded = await screen.do('1', '● Done.')
    expect(folded).toContain('… 9 more lines (Ctrl-O shows them)')
    expect(folded).not.toContain('| line 12')
    await screen.do(PRESS.unfold, '| line 12')
  })

  it('has its images saved, and drawn on a terminal that can', async () => {
    await using stage = await openStage({
      servers: { all: officialEntry('everything') },
      script: [call('mcp__all__get-tiny-image'), { kind: 'text', text: 'Seen.' }],
      env: { TERM_PROGRAM: 'iTerm.app' },
    })
    const { screen, machine } = stage
    await screen.until('1 ready')
    await screen.do('draw\r', 'May get-tiny-image')
    await screen.do('1', 'Seen.')
    expect(screen.text()).toContain('image saved: ~/.cache/plugboard/media/get-tiny-image-1.png')
    expect(readdirSync(machine.at('~/.cache/plugboard/media'))).toEqual(['get-tiny-image-1.png'])
    expect(screen.raw()).toContain('\u001b]1337;File=inline=1')
  })

  it('is saved as well when it was called by hand, and drawn by kitty', async () => {
    await using stage = await openStage({
      servers: { all: officialEntry('everything') },
      env: { TERM: 'xterm-kitty' },
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do(
      '/call all get-tiny-image\r',
      'image saved: ~/.cache/plugboard/media/get-tiny-image-1.png',
    )
    expect(screen.raw()).toContain('\u001b_Ga=T,f=100')
  })

  it('is asked for by the server with a form', async () => {
    await using stage = await openStage({
      servers: { x: serverEntry('asks-back') },
      script: [
        call('mcp__x__ask', { only: ['elicitation'] }),
        (request) => ({ kind: 'text', text: `Got ${resultsIn(request).at(-1)}` }),
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('ask me\r', 'May ask of x be called?')
    const form = await screen.do('1', 'x asks')
    expect(form).toContain('What is your name?')
    await screen.do(`${PRESS.down}${PRESS.down}${PRESS.enter}`, 'name: this is required')
    const answer = await screen.do(`Ada${PRESS.enter}${PRESS.enter}${PRESS.enter}`, 'Got ')
    expect(answer.replace(/\s+/g, '')).toMatch(/"action\\*":\\*"accept/)
    expect(answer).toContain('Ada')
  })

  it('is asked for with every kind of field, their defaults and limits', async () => {
    await using stage = await openStage({
      servers: { all: officialEntry('everything') },
      script: [
        call('mcp__all__trigger-elicitation-request'),
        (request) => ({ kind: 'text', text: `Got ${resultsIn(request).join().length} characters.` }),
      ],
      rows: 50,
    })
    const { screen, model } = stage
    await screen.until('1 ready')
    await screen.do('ask me\r', 'May trigger-elicitation-request of all be called?')
    await screen.do('1', 'all asks')
    // Whole once it names its keys: a screen that is still being written may have its first lines only.
    const form = await screen.untilHeard()
    for (const part of [
      'String with default: It was a dark and stormy night.',
      'Boolean: ( ) yes ( ) no',
      'Integer: 42',
      'Untitled Single Select Enum: < Monica >',
      'Untitled Multiple Select Enum: Guitar',
      'Titled Single Select Enum: < Superman >',
      'Titled Multiple Select Enum: Tuna',
    ])
      expect(form).toContain(part)
    const down = (times: number): string => PRESS.down.repeat(times)
    // A yes, an e-mail that is none, another number, another friend, one more instrument.
    screen.type(`Ada${down(1)}y${down(2)}nobody${down(3)}\u00157${down(2)}${PRESS.right}`)
    screen.type(`${down(1)}${PRESS.right}${PRESS.space}${down(4)}${PRESS.enter}`)
    await screen.until('String with email format: this must be an e-mail address')
    screen.type(`\u0015ada@example.test${down(10)}${PRESS.enter}`)
    await screen.until(/Got \d+ characters/)
    const results = resultsIn(model.requests.at(-1)!).join()
    for (const part of ['Ada', 'ada@example.test', 'Rachel', 'Guitar', 'Piano', '3.14', 'hero-1', 'fish-1'])
      expect(results).toContain(part)
    expect(results).toMatch(/check\W+true/)
    expect(results).toMatch(/integer\W+7\b/)
  })

  it('is asked for with a page, whose address is seen before it is opened', async () => {
    await using stage = await openStage({
      servers: { all: officialEntry('everything') },
      script: [
        call('mcp__all__trigger-url-elicitation', { url: 'https://pay.example.test/start?order=7' }),
        { kind: 'text', text: 'Paid.' },
      ],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('pay\r', 'May trigger-url-elicitation of all be called?')
    const question = await screen.do('1', 'all wants you to visit a page')
    expect(question).toContain('https://pay.example.test/start?order=7')
    expect(question).toContain('host: pay.example.test')
    await screen.do('2', 'Paid.')
    expect(resultsIn(stage.model.requests.at(-1)!).join()).toContain('completed')
  })
})

describe('terminals', () => {
  it('of 60 columns and without colours show everything', async () => {
    await using stage = await openStage({
      servers: { x: serverEntry('outcomes') },
      script: [
        call('mcp__x__echo', { text: 'word '.repeat(40) }),
        { kind: 'text', text: 'long words '.repeat(20) },
      ],
      columns: 60,
      env: { NO_COLOR: '1' },
    })
    const { screen } = stage
    await screen.until('1 ready · openai/scripted')
    const question = await screen.do('go\r', 'May echo of x be called?')
    expect(question.split('word ').length + question.split('word\n').length).toBeGreaterThan(38)
    await screen.do('1', 'long words')
    await screen.untilGone('Esc stops')
    expect(
      Math.max(
        ...screen
          .text()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(60)
    // oxlint-disable-next-line no-control-regex
    expect(screen.raw()).not.toMatch(/\u001b\[[0-9;]*m/)
  })

  it('that can only write lines are talked to in lines', async () => {
    await using stage = await openStage({
      servers: { x: serverEntry('outcomes') },
      script: [call('mcp__x__echo', { text: 'plain' }), { kind: 'text', text: 'All done.' }],
      env: { TERM: 'dumb' },
    })
    const { screen } = stage
    await screen.until(/^> $|^>$/m)
    await screen.do('/mcp\r', /x +ready[^]*\n>/)
    // One `>` for each line that is waited for.
    expect(screen.text()).toMatch(/^> \/mcp\nNAME/m)
    const question = await screen.do('go\r', 'number, or empty for no answer:')
    expect(question).toContain('May echo of x be called?')
    expect(question).toContain('1. yes, once')
    await screen.do('1\r', 'All done.')
    screen.type('/quit\r')
    expect(await screen.exit).toBe(0)
    // oxlint-disable-next-line no-control-regex
    expect(screen.raw()).not.toMatch(/\u001b/)
  })

  it('are left with Ctrl-C twice, in the middle of a call, and no process stays', async () => {
    await using stage = await openStage({
      servers: { x: serverEntry('outcomes'), files: officialEntry('filesystem', '/') },
      script: [call('mcp__x__hangs')],
    })
    const { screen } = stage
    await screen.until('2 ready')
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(screen.pid)], { encoding: 'utf8' })
    const pids = children.trim().split(/\s+/).map(Number)
    expect(pids.length).toBeGreaterThanOrEqual(2)
    await screen.do('hang\r', 'May hangs of x be called?')
    await screen.do('1', 'mcp__x__hangs')
    expect(await leave(screen)).toBe(0)
    // One of them is the reaper, which ends behind us: the end of our pipe is what it waits for.
    await expect.poll(() => pids.filter(isAlive), { timeout: 5000 }).toEqual([])
    expect(screen.raw()).toContain('\u001b[?2004l')
  })

  it('queue in lines, too, and say so', async () => {
    await using stage = await openStage({
      script: [{ kind: 'hang', text: 'Once\nupon' }],
      env: { TERM: 'dumb' },
    })
    const { screen } = stage
    await screen.until(/^> $|^>$/m)
    await screen.do('a story\r', 'Once')
    await screen.do('another\r', 'queued until this turn is over: another')
    await screen.do(PRESS.interrupt, 'not sent: another')
    expect(stage.model.requests).toHaveLength(1)
  })

  it('are given back as they were when the shell is asked to end', async () => {
    await using stage = await openStage({ servers: { x: serverEntry('outcomes') } })
    const { screen } = stage
    await screen.until('1 ready')
    process.kill(screen.pid, 'SIGTERM')
    expect(await screen.exit).toBe(0)
    expect(screen.raw()).toContain('\u001b[?2004l')
  })

  it('that change their width are drawn anew', async () => {
    await using stage = await openStage({ servers: { x: serverEntry('outcomes') }, columns: 120 })
    const { screen } = stage
    await screen.until('1 ready')
    screen.resize(60, 30)
    await screen.until(`\n${'─'.repeat(59)}\n`)
    await screen.do('/help\r', 'Ctrl-C twice quits')
    const lines = screen.text().split('\n')
    expect(Math.max(...lines.slice(-20).map((line) => line.length))).toBeLessThanOrEqual(60)
  })
})
