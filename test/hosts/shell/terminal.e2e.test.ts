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

  it('keeps a prompt for the end of the turn', async () => {
    await using stage = await openStage({
      servers: { x: serverEntry('progress') },
      script: [call('mcp__x__work', { steps: 4, ms: 200 }), { kind: 'text', text: 'First.' }, echo],
    })
    const { screen } = stage
    await screen.until('1 ready')
    await screen.do('work\r', 'May work of x be called?')
    await screen.do('1', '[#####')
    await screen.do('then this\r', 'then: then this')
    const seen = await screen.until('Heard <then this>')
    expect(seen.indexOf('First.')).toBeLessThan(seen.indexOf('> then this'))
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
    screen.type(`Ada${PRESS.enter}${PRESS.enter}${PRESS.enter}`)
    const answer = await screen.until('Got ')
    expect(answer.replace(/\s+/g, '')).toMatch(/"action\\*":\\*"accept/)
    expect(answer).toContain('Ada')
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
    const question = await screen.do('go\r', 'May echo of x be called?')
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
    expect(pids.filter(isAlive)).toEqual([])
    expect(screen.raw()).toContain('\u001b[?2004l')
  })
})
