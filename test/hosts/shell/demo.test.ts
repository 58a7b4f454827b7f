/** The demo server: behind a real board in this process, and as a child that the official client starts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { createDemo } from '../../../src/hosts/shell/demo/demo.ts'
import type { Params } from '../../../src/model/message.ts'
import type { ClientHandlers } from '../../../src/model/session.ts'
import { openBoard, type Board } from '../../../src/runtime/board.ts'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { allowAll } from '../../boards/permits.ts'
import { until } from '../../boards/watch.ts'
import { BIN, openMachine } from '../../processes/plugboard.ts'
import { createScratch } from '../../worlds/scratch.ts'

interface Stage extends AsyncDisposable {
  readonly board: Board
  readonly folder: string
  call(tool: string, args?: object): ReturnType<Board['call']>
}

async function open(handlers: ClientHandlers = {}): Promise<Stage> {
  const scratch = createScratch()
  const cache = join(scratch.home, '.cache')
  const demo = createDemo(scratch.world, () => ({ cache }))
  demo.turn('on')
  const board = await openBoard(scratch.world, {
    load: () => loadCatalog(scratch.world, { strict: true, servers: demo.servers() }),
    inProcess: demo.inProcess,
    permit: allowAll,
    wait: 'all',
    handlers,
  })
  return {
    board,
    folder: join(cache, 'demo'),
    call: (tool, args = {}) => board.call({ server: 'demo', tool }, { ...args }),
    async [Symbol.asyncDispose]() {
      await board.close()
      scratch[Symbol.dispose]()
    },
  }
}

describe('the demo server', () => {
  it('writes notes into its folder, reads them and lists them', async () => {
    await using stage = await open()
    expect((await stage.call('list_notes')).text).toBe('There are no notes yet.')
    expect(await stage.call('write_note', { title: 'shopping', text: 'milk' })).toMatchObject({
      outcome: 'done',
      text: 'Wrote the note `shopping` (4 characters).',
    })
    expect(readFileSync(join(stage.folder, 'shopping.md'), 'utf8')).toBe('milk')
    expect((await stage.call('read_note', { title: 'shopping' })).text).toBe('milk')
    expect((await stage.call('list_notes')).text).toBe('shopping')
  })

  it.each(['../escape', '/etc/passwd', '', '.hidden', 'a/b', 'a\u0000b'])(
    'takes no path for a title: %j',
    async (title) => {
      await using stage = await open()
      expect(await stage.call('write_note', { title, text: 'x' })).toMatchObject({ outcome: 'tool-error' })
      expect(await stage.call('read_note', { title })).toMatchObject({ outcome: 'tool-error' })
      expect((await stage.call('list_notes')).text).toBe('There are no notes yet.')
    },
  )

  it('tells that there is a new resource, which can be read', async () => {
    await using stage = await open()
    const resources = (): readonly unknown[] =>
      stage.board.snapshot().servers[0]?.offering?.resources.map(({ uri }) => uri) ?? []
    await stage.call('write_note', { title: 'two words', text: 'here' })
    await until(stage.board, () => resources().length > 0)
    expect(resources()).toEqual(['note:///two%20words'])
    const { contents } = await stage.board.request('demo', 'resources/read', { uri: 'note:///two%20words' })
    expect(contents).toEqual([{ uri: 'note:///two%20words', mimeType: 'text/markdown', text: 'here' }])
  })

  it('fills its prompt in, and completes its arguments', async () => {
    await using stage = await open()
    await stage.call('write_note', { title: 'plan', text: 'go' })
    const ref = { server: 'demo', prompt: 'summarize' }
    expect((await stage.board.complete(ref, { name: 'title', value: 'P' })).values).toEqual(['plan'])
    expect((await stage.board.complete(ref, { name: 'style', value: 'a ' })).values).toEqual([
      'a list',
      'a poem',
    ])
    const filled = await stage.board.request('demo', 'prompts/get', {
      name: 'summarize',
      arguments: { title: 'plan', style: 'a poem' },
    })
    expect(filled['messages']).toEqual([
      { role: 'user', content: { type: 'text', text: 'Summarize the note "plan" as a poem:\n\ngo' } },
    ])
    await expect(
      stage.board.request('demo', 'prompts/get', { name: 'summarize', arguments: { title: 'no' } }),
    ).rejects.toThrow('there is no note `no`')
  })

  it('tells how far a long task is', async () => {
    await using stage = await open()
    const told: Params[] = []
    const result = await stage.board.call(
      { server: 'demo', tool: 'count_slowly' },
      { to: 3, stepMs: 1 },
      { onProgress: (progress) => void told.push(progress) },
    )
    expect(result.text).toBe('Counted to 3.')
    expect(told.map(({ progress, total, message }) => [progress, total, message])).toEqual([
      [1, 3, '1 of 3'],
      [2, 3, '2 of 3'],
      [3, 3, '3 of 3'],
    ])
  })

  it('stops a long task that is cancelled', async () => {
    await using stage = await open()
    const controller = new AbortController()
    const running = stage.board.call(
      { server: 'demo', tool: 'count_slowly' },
      { to: 100, stepMs: 5000 },
      { signal: controller.signal },
    )
    queueMicrotask(() => controller.abort())
    await expect(running).rejects.toThrow()
    expect((await stage.call('list_notes')).outcome).toBe('done')
  })

  it('asks, and keeps what it is told', async () => {
    const asked: Params[] = []
    await using stage = await open({
      elicit: async (params) => {
        asked.push(params)
        return { action: 'accept', content: { name: 'Ada', team: 2, color: 'blue', again: false } }
      },
    })
    const { text } = await stage.call('interview')
    expect(text).toBe('The user says:\n- name: Ada\n- team: 2\n- color: blue\n- again: false')
    expect(asked).toHaveLength(1)
    expect((await stage.call('read_note', { title: 'interview' })).text).toContain('Ada')
  })

  it('takes a no, and a client that cannot be asked', async () => {
    await using declined = await open({ elicit: async () => ({ action: 'decline' }) })
    expect((await declined.call('interview')).text).toBe('The user would rather not say.')
    await using mute = await open()
    expect(await mute.call('interview')).toMatchObject({ outcome: 'tool-error' })
  })
})

describe('plugboard demo', () => {
  it('serves any MCP client over stdio, and ends with it', async () => {
    using machine = openMachine()
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'demo', '--stdio'],
      env: { HOME: machine.home },
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'write_note',
      'read_note',
      'list_notes',
      'count_slowly',
      'interview',
    ])
    await client.callTool({ name: 'write_note', arguments: { title: 'a', text: 'b' } })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['note:///a'])
    expect(readFileSync(machine.at('~/.cache/plugboard/demo/a.md'), 'utf8')).toBe('b')
    await client.close()
  })

  it('shows what there is, and how to have it', async () => {
    using machine = openMachine()
    const { code, stdout, stderr } = await machine.run(['demo'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('write_note')
    expect(stdout).toContain('plugboard add demo -- plugboard demo --stdio')
  })

  it('can be added as a server, and be called', async () => {
    using machine = openMachine()
    const start = [process.execPath, BIN, 'demo', '--stdio']
    const added = await machine.run(['add', 'demo', '--', ...start])
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('5 tools') as unknown })
    const called = await machine.run(['call', 'demo', 'write_note', 'title=x', 'text=y'])
    expect(called).toMatchObject({ code: 0, stdout: 'Wrote the note `x` (1 character).\n' })
  })
})
