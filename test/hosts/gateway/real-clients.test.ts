/**
 * real-clients: programs that others wrote, in front of the gateway: the official Inspector's command line, and the raw
 * SDK of the first generation. (`clients.test.ts` has that of the second.)
 *
 * The Inspector asks for Node 22 and runs on Node 20 all the same. A Node from npm would bring a command `node`, which
 * takes the place of the machine's own in every npm script.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Era } from '../../../src/model/session.ts'
import { createObserved } from '../../worlds/observed.ts'
import { openTestGateway, sdkEntry, TOKEN, writeSettings } from './open.ts'

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const COMMAND = at('dist/bin.js')
const INSPECTOR = at('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

type Way = 'stdio' | 'http'

interface Place extends AsyncDisposable {
  /** What the Inspector is told of where to connect. */
  readonly target: readonly string[]
  readonly home: string
  readonly transport: () => Transport
}

async function open(way: Way, behind: Era): Promise<Place> {
  const servers = { x: sdkEntry(behind) }
  if (way === 'stdio') {
    const scratch = createObserved()
    const { home, project } = scratch
    writeSettings(home, { servers })
    const serve = [COMMAND, 'serve', '--stdio']
    const env = { PATH: process.env['PATH'] ?? '', HOME: home }
    return {
      home,
      target: [process.execPath, ...serve, '-e', `HOME=${home}`, '--cwd', project],
      transport: () =>
        new StdioClientTransport({ command: process.execPath, args: serve, env, cwd: project }),
      [Symbol.asyncDispose]: async () => scratch[Symbol.dispose](),
    }
  }
  const gateway = await openTestGateway(servers)
  const authorization = `Bearer ${TOKEN}`
  return {
    home: gateway.scratch.home,
    target: [gateway.url().href, '--header', `Authorization: ${authorization}`],
    transport: () =>
      new StreamableHTTPClientTransport(gateway.url(), {
        requestInit: { headers: { Authorization: authorization } },
      }) as Transport,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

const run = promisify(execFile)

/** A server that was never seen is waited for, but not for ever; one that was is listed at once. */
async function untilSeen({ transport }: Place): Promise<void> {
  const client = new Client({ name: 'first', version: '1' })
  await client.connect(transport())
  await client.callTool({ name: 'mcp__x__echo', arguments: { text: 'first' } })
  await client.close()
}

async function inspect({ target, home }: Place, ...args: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home }
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...target, ...args], { env, cwd: home })
  return JSON.parse(stdout)
}

const WAYS = (['stdio', 'http'] as const).flatMap((way) =>
  (['legacy', 'modern'] as const).map((behind) => [way, behind] as const),
)

describe.each(WAYS)('over %s, before a %s server', (way, behind) => {
  it('the Inspector lists and calls', async () => {
    await using place = await open(way, behind)
    await untilSeen(place)
    const call = ['--method', 'tools/call', '--tool-name', 'mcp__x__echo', '--tool-arg', 'text=well']
    expect(await inspect(place, ...call)).toMatchObject({ content: [{ type: 'text', text: 'well' }] })
    const { tools } = (await inspect(place, '--method', 'tools/list')) as {
      readonly tools: readonly { readonly name: string }[]
    }
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['mcp__x__echo', 'mcp__x__work']))
    expect(tools.find(({ name }) => name === 'mcp__x__weather')).toMatchObject({
      title: 'Weather',
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      _meta: { 'example.test/unit': 'celsius' },
    })
    const read = ['--method', 'resources/read', '--uri', 'test://menu']
    expect(await inspect(place, ...read)).toMatchObject({
      contents: [{ text: 'soup' }, { mimeType: 'image/png' }],
    })
    const get = ['--method', 'prompts/get', '--prompt-name', 'mcp__x__greet', '--prompt-args', 'who=Ada']
    expect(await inspect(place, ...get)).toMatchObject({ messages: [{ content: { text: 'Greet Ada.' } }] })
  })

  it('the first SDK lists, calls, hears of progress and answers', async () => {
    await using place = await open(way, behind)
    const client = new Client(
      { name: 'first', version: '1' },
      { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
    )
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: 'accept',
      content: { name: 'Ada' },
    }))
    await client.connect(place.transport())
    try {
      const steps: number[] = []
      const onprogress = ({ progress }: { progress: number }): void => void steps.push(progress)
      // Far apart: this SDK drops the progress that comes in one piece with the answer, as it does on a busy machine.
      const work = { name: 'mcp__x__work', arguments: { steps: 3, ms: 100 } }
      expect(await client.callTool(work, undefined, { onprogress })).toMatchObject({
        content: [{ text: 'worked 3 steps' }],
      })
      expect(steps.slice(0, 2)).toEqual([1, 2])
      const { tools } = await client.listTools()
      expect(tools.find(({ name }) => name === 'mcp__x__echo')).toMatchObject({
        annotations: { readOnlyHint: true },
      })
      const ask = { name: 'mcp__x__ask', arguments: { only: ['elicitation'] } }
      const { content } = (await client.callTool(ask)) as { readonly content: readonly { text: string }[] }
      expect(JSON.parse(content[0]!.text)[0]).toMatchObject({ elicitation: { content: { name: 'Ada' } } })
      expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'mcp__x__greet' }])
      expect((await client.readResource({ uri: 'test://menu' })).contents).toHaveLength(2)
    } finally {
      await client.close()
    }
  })
})
