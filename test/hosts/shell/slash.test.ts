/** Slash commands: a session without a screen, on real servers and on the files of a scratch home. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { completeInput } from '../../../src/hosts/shell/complete-input.ts'
import { fillPrompt, serverPrompts } from '../../../src/hosts/shell/server-prompts.ts'
import { SLASH_COMMANDS } from '../../../src/hosts/shell/slash/commands.ts'
import { officialEntry, serverEntry } from '../../boards/open.ts'
import { allowAll } from '../../boards/permits.ts'
import { openSession, type TestSession } from './open-session.ts'

const good = serverEntry('well-behaved')

function readFile({ scratch }: TestSession, path: string): unknown {
  return JSON.parse(readFileSync(join(scratch.home, path), 'utf8'))
}

const OURS = '.config/plugboard/mcp.json'

describe('/help', () => {
  it('asks for help, and gets every command', async () => {
    await using session = await openSession({ servers: { good } })
    const help = await session.type('/help')
    for (const name of [
      '/mcp',
      '/plan',
      '/call',
      '/model',
      '/permissions',
      '/pins',
      '/trust',
      '/tools',
      '/clear',
      '/quit',
    ])
      expect(help).toContain(name)
    const below = await session.type('/help mcp')
    for (const name of 'list tools add add-json remove|rm enable disable test reconnect auth reauth logout|unauth reload|refresh resources prompts logs explain'.split(
      ' ',
    ))
      expect(below).toContain(`/mcp ${name}`)
  })
})

describe('/mcp', () => {
  it('shows the servers and how they are', async () => {
    await using session = await openSession({
      servers: { good, off: { ...good, enabled: false }, broken: { command: 'no-such-program' } },
    })
    const list = await session.type('/mcp')
    expect(list).toMatch(/good +ready +\d+ tools/)
    expect(list).toMatch(/off +disabled/)
    expect(list).toMatch(/broken +(?:failed|waiting)/)
    expect(list).toContain('type /mcp enable off')
    expect(await session.type('/mcp list')).toContain('good')
  })

  it('without any server names the way to one', async () => {
    await using session = await openSession()
    expect(await session.type('/mcp')).toContain('/demo')
    await session.type('/demo')
    expect(session.notes).toContain('demo: added, 5 tools')
    expect(session.context.board.tools().map(({ name }) => name)).toContain('mcp__demo__write_note')
    await session.type('/demo')
    expect(await session.untilNoted('removed')).toBe('demo: removed')
    expect(session.context.board.tools()).toEqual([])
    expect(await session.type('/mcp lsit')).toContain('did you mean `/mcp list`?')
  })

  it('add writes the server into a file, and its tools are there at once', async () => {
    await using session = await openSession()
    const { command, args } = good as { command: string; args: string[] }
    const said = await session.type(`/mcp add good -- ${[command, ...args].join(' ')}`)
    expect(said).toContain('added `good` to ~/.config/plugboard/mcp.json (user scope)')
    expect(readFile(session, OURS)).toEqual({ mcpServers: { good: { type: 'stdio', command, args } } })
    expect(session.context.board.tools().some(({ server }) => server === 'good')).toBe(true)
    expect(await session.untilNoted('added, ')).toMatch(/^good: added, \d+ tools$/)
    expect(await session.type(`/mcp add good -- ${command}`)).toContain('Server "good" already exists in')
  })

  it('add in the words of the seeds says what does not go together', async () => {
    await using session = await openSession()
    expect(await session.type('/mcp add x --url https://a.example -- npx')).toContain(
      'Use either --url or -- <command...>, not both.',
    )
    expect(await session.type('/mcp add x --token t -- npx')).toContain(
      '--token requires --url (HTTP/SSE transport).',
    )
  })

  it('add without words asks', async () => {
    const { command, args } = good as { command: string; args: string[] }
    await using session = await openSession({
      answers: ['asked', 'start', [command, ...args].join(' '), '', 'user', 'yes'],
    })
    await session.type('/mcp add')
    expect(session.asked.map(({ title }) => title)).toEqual([
      'What is the server to be called?',
      'How does one get to it?',
      'Which command starts it?',
      'A variable for it, NAME=value (empty: no more)',
      'Who is it for?',
      'Add it?',
    ])
    expect(session.context.board.tools().some(({ server }) => server === 'asked')).toBe(true)
  })

  it('add-json adds what a README shows, and what cannot run is told', async () => {
    await using session = await openSession()
    const said = await session.type(`/mcp add-json ghost '{"command":"no-such-program"}'`)
    expect(said).toContain('added `ghost`')
    expect(session.problems.at(-1)).toMatchObject({ code: expect.stringMatching(/^connect\//) as unknown })
  })

  it('remove asks, takes it out of the file, and its tools are gone', async () => {
    await using session = await openSession({ servers: { good }, answers: ['no', 'yes'] })
    await session.type('/mcp remove good')
    expect(session.context.board.tools()).not.toEqual([])
    expect(await session.type('/mcp rm good')).toContain('removed `good` from ~/.config/plugboard/mcp.json')
    expect(session.context.board.tools()).toEqual([])
    expect(readFile(session, OURS)).toEqual({ mcpServers: {} })
    expect(await session.type('/mcp rm good')).toContain('no server is named `good`')
  })

  it('disable and enable take effect at once, and are remembered', async () => {
    await using session = await openSession({ servers: { good } })
    expect(await session.type('/mcp disable good')).toContain(
      'turned `good` off, in ~/.config/plugboard/settings.json',
    )
    expect(session.notes).toContain('good: removed (disabled)')
    expect(session.context.board.tools()).toEqual([])
    expect(readFile(session, '.config/plugboard/settings.json')).toEqual({ disabledServers: ['good'] })
    expect(await session.type('/call good echo text=x')).toContain(
      'Server "good" is disabled. Run /mcp enable good first.',
    )
    expect(await session.type('/mcp disable good')).toContain('`good` is off already')
    expect(await session.type('/mcp enable good')).toContain('turned `good` on')
    await session.untilNoted('good: added, ')
    expect(session.context.board.tools()).not.toEqual([])
    expect(await session.type('/mcp enable goood')).toContain('did you mean `good`?')
  })

  it('reload says what came, went and changed, or that nothing did', async () => {
    await using session = await openSession({ servers: { a: good, b: good } })
    expect(await session.type('/mcp reload')).toBe('nothing changed')
    const changed = { a: { ...good, env: { X: '1' } }, c: good }
    session.scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: changed }))
    expect(await session.type('/mcp refresh')).toContain('added `c`; removed `b`; changed `a`')
  })

  it('reconnect begins a new session', async () => {
    await using session = await openSession({ servers: { good } })
    await session.type('/mcp reconnect good')
    expect(await session.untilNoted('reconnected')).toBe('good: reconnected')
    expect(await session.type('/mcp reconnect')).toBe('every server is connected')
  })

  it('tools, resources and prompts are those of the session', async () => {
    await using session = await openSession({ permit: allowAll })
    await session.type('/demo')
    await session.type('/call demo write_note title=list text=milk')
    expect(await session.type('/mcp tools demo')).toContain('mcp__demo__count_slowly')
    expect(await session.type('/tools')).toContain('readMcpResource')
    expect(await session.type('/mcp resources')).toContain('@demo:note:///{title}')
    expect(await session.type('/mcp prompts')).toContain('/mcp__demo__summarize <title> [style]')
    expect(await session.type('/mcp tools nobody')).toContain('no server is named `nobody`')
  })

  it('test, logs and explain are those of the command', async () => {
    await using session = await openSession({ servers: { good } })
    expect(await session.type('/mcp test good')).toMatch(/ok +list/)
    expect(await session.type('/mcp explain good')).toContain('chosen')
    expect(await session.type('/mcp logs good')).toContain('event')
  })
})

describe('/call', () => {
  it('keeps the images of a result', async () => {
    await using session = await openSession({ servers: { x: serverEntry('outcomes') } })
    await session.type('/call x mixed')
    expect(session.kept).toMatchObject([{ name: 'mixed', media: [{ kind: 'image' }, { kind: 'audio' }] }])
  })

  it('says which quote is open', async () => {
    await using session = await openSession()
    expect(await session.type('/call x echo text="two words')).toContain(
      'nothing closes the quote " at column 19',
    )
    expect(await session.type('/mcp add-json win \'{"command":"C:\\\\bin\\\\x.exe"}\' --no-check')).toContain(
      'win',
    )
    expect(readFile(session, OURS)).toMatchObject({ mcpServers: { win: { command: 'C:\\bin\\x.exe' } } })
  })

  it('calls a tool with arguments of its types, without a question', async () => {
    await using session = await openSession({ servers: { x: serverEntry('outcomes') } })
    expect(await session.type('/call x echo text="two words"')).toContain('two words')
    expect(session.asked).toEqual([])
  })

  it('shows why not', async () => {
    await using session = await openSession({ servers: { x: serverEntry('outcomes') } })
    expect(await session.type('/call x')).toContain('/call <server> <tool>')
    expect(await session.type('/call y echo')).toContain('no server is named `y`')
    await session.type('/call x strict count=1')
    expect(session.problems.at(-1)).toMatchObject({ code: 'call/bad-arguments' })
  })
})

describe('/plan', () => {
  it('denies every tool, to a person as well, and is over when it is typed again', async () => {
    await using session = await openSession({ servers: { x: serverEntry('outcomes') } })
    expect(await session.type('/plan')).toBe('plan mode: every tool of every server is denied')
    await session.type('/call x echo text=a')
    expect(session.problems.at(-1)).toMatchObject({ code: 'permit/denied' })
    expect(await session.type('/permissions')).toContain('this session is in plan mode')
    expect(await session.type('/plan')).toBe('plan mode is off')
    expect(await session.type('/call x echo text=a')).toContain('a')
  })
})

describe('/permissions and /pins', () => {
  it('write rules that hold at once', async () => {
    await using session = await openSession({ servers: { x: serverEntry('outcomes') } })
    expect(await session.type('/permissions deny mcp__x__echo')).toContain('`mcp__x__echo` is denied')
    await session.type('/call x echo text=a')
    expect(session.problems.at(-1)).toMatchObject({ code: 'permit/denied' })
    expect(await session.type('/permissions')).toMatch(/mcp__x__echo +deny/)
    await session.type('/permissions reset mcp__x__echo')
    expect(await session.type('/call x echo text=a')).toContain('a')
    expect(await session.type('/pins')).toMatch(/x +echo/)
  })
})

describe('/trust', () => {
  const theirs = serverEntry('outcomes')
  const files = { 'project/.mcp.json': { mcpServers: { theirs } } }

  it('shows what the servers of the project would run, and is named where they are listed', async () => {
    await using session = await openSession({ files })
    expect(await session.type('/mcp')).toContain('type /trust')
    await session.type('/mcp reconnect theirs')
    expect(session.shown.at(-1)).toBe('to look at it and decide, type `/trust`')
    const said = await session.type('/trust')
    expect(said).toContain('An MCP server can do whatever you can')
    expect(said).toMatch(/^ {2}runs +\S+node/m)
    expect(said).toContain('hint: to decide, type `/trust approve theirs`; it asks first')
    expect(said).not.toContain('plugboard trust')
    expect(session.asked).toEqual([])
  })

  it('approve asks, and the server runs at once', async () => {
    await using session = await openSession({ files, answers: ['approved'] })
    await session.type('/trust approve theirs')
    expect(session.asked).toMatchObject([{ title: 'May it run in this project?' }])
    expect(await session.untilNoted('theirs: added')).toMatch(/^theirs: added, \d+ tools$/)
    expect(await session.type('/trust')).toBe('nothing waits for your approval in this project')
  })
})

describe('/model, /clear and /quit', () => {
  it('name the model, and set another', async () => {
    await using session = await openSession()
    expect(await session.type('/model')).toContain('no model is configured')
    expect(await session.type('/model openai/gpt-x')).toBe('model: openai/gpt-x')
    expect(await session.type('/model')).toContain('model: openai/gpt-x')
    expect(await session.type('/model other')).toBe('model: openai/other')
    await session.type('/clear')
    await session.type('/quit')
    expect(session.happened).toEqual(['clear', 'quit'])
  })
})

describe('a prompt of a server', () => {
  const fill = (session: TestSession, words: readonly string[]): Promise<string> => {
    const { board, signal, world } = session.context
    const [prompt] = serverPrompts(board)
    return fillPrompt(board, prompt!, { words, signal, platform: world.platform })
  }

  it('is filled in by position or by name, in the words of the user', async () => {
    await using session = await openSession({ permit: allowAll })
    await session.type('/demo')
    await session.type('/call demo write_note title=plan text=go')
    const poem = 'Summarize the note "plan" as a poem:\n\ngo'
    expect(await fill(session, ['plan', 'a', 'poem'])).toBe(poem)
    expect(await fill(session, ['style=a poem', 'title=plan'])).toBe(poem)
  })

  it('says what is missing, what the server refused, and that it is plan mode', async () => {
    await using session = await openSession({ permit: allowAll })
    await session.type('/demo')
    await expect(fill(session, [])).rejects.toThrow('`/mcp__demo__summarize` needs `title`')
    await expect(fill(session, ['nothing'])).rejects.toThrow('could not be filled in')
    await session.type('/plan')
    await expect(fill(session, ['nothing'])).rejects.toThrow('plan mode does not allow prompts of `demo`')
  })
})

describe('completion', () => {
  it('knows commands, servers, tools, arguments, prompts and resources', async () => {
    await using session = await openSession({ permit: allowAll })
    await session.type('/demo')
    await session.type('/call demo write_note title=plan text=go')
    const { context } = session
    const complete = async (line: string): Promise<readonly string[]> =>
      (await completeInput(context, SLASH_COMMANDS, line)).items
    expect(await complete('/pl')).toEqual(['/plan '])
    expect(await complete('/mcp re')).toEqual(['remove', 'reconnect', 'reauth', 'reload', 'resources'])
    expect(await complete('/mcp enable d')).toEqual(['demo'])
    expect(await complete('/call demo w')).toEqual(['write_note'])
    expect(await complete('/call demo write_note title=x ')).toEqual(['text='])
    expect(await complete('/mcp__d')).toEqual(['/mcp__demo__summarize '])
    expect(await complete('/mcp__demo__summarize ')).toEqual(['title=', 'style='])
    expect(await complete('/mcp__demo__summarize title=')).toEqual(['title=plan'])
    expect(await complete('/mcp__demo__summarize title=plan style=a')).toEqual([
      'style=a list',
      'style=a poem',
    ])
    expect(await complete('look at @de')).toEqual(['@demo:note:///plan', '@demo:note:///'])
    expect(await complete('look at @demo:note:///p')).toEqual(['@demo:note:///plan'])
    await context.board.disconnect('demo')
    expect(await complete('/mcp__demo__summarize title=')).toEqual([])
    expect(await complete('just words')).toEqual([])
  })

  it('asks a server what may stand in its templates', async () => {
    await using session = await openSession({ servers: { all: officialEntry('everything') } })
    const { items } = await completeInput(
      session.context,
      SLASH_COMMANDS,
      'see @all:demo://resource/dynamic/text/1',
    )
    expect(items).toContain('@all:demo://resource/dynamic/text/1')
  })
})
