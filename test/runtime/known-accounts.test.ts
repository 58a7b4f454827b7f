/**
 * known-accounts: whose tools are offered before a server has answered: those of the same account, at once, however long
 * its token takes to look up; never those of another.
 */
import { existsSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/base/secret.ts'
import type { CredentialSource } from '../../src/model/launch.ts'
import { openBoard, type Board, type BoardOptions } from '../../src/runtime/board.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { serverEntry } from '../boards/open.ts'
import { connectionOf, untilState } from '../boards/watch.ts'
import { sendJson, sendResult, serve, type Loopback, type Received } from '../servers/http/loopback.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

type Entry = Readonly<Record<string, unknown>>

/** The board of a user who has the server `x` in the file of Plugboard itself, where values may be commands. */
function openFor(
  scratch: Scratch,
  entry: Entry,
  options: Omit<BoardOptions, 'load'> & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Board> {
  const { env = {}, ...rest } = options
  scratch.write('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { x: entry } }))
  const world = { ...scratch.world, env: { ...scratch.world.env, ...env } }
  return openBoard(world, { ...rest, load: () => loadCatalog(world) })
}

const shown = (board: Board): readonly string[] =>
  board.tools().map(({ tool, isDeferred }) => `${tool}${isDeferred ? ' (deferred)' : ''}`)

/** Lists one tool, named after the token that it was asked with. */
function answer(request: Received, more: object = {}): void {
  const { message, method, headers } = request
  if (method !== 'POST') return void request.response.writeHead(405).end()
  const { authorization = 'nobody' } = headers
  const [user] = authorization.replace('Bearer ', '').split('-')
  const capabilities = { tools: {} }
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'x', version: '1' } },
    'tools/list': { tools: [{ name: `tool-of-${user}`, inputSchema: { type: 'object' } }], ...more },
    'notifications/initialized': {},
  }
  const result = results[message.method]
  if (result !== undefined) return sendResult(request, result)
  sendJson(request, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } })
}

const serveAccounts = (): Promise<Loopback> => serve(answer)

/** A command that prints a file, once another one is there. */
function createVault(scratch: Scratch): {
  readonly command: string
  put(token: string): void
  lock(): void
  unlock(): void
} {
  const [token, key] = [`${scratch.project}/token`, `${scratch.project}/key`]
  return {
    command: `while [ ! -e '${key}' ]; do sleep 0.02; done; cat '${token}'`,
    put: (text) => scratch.write('project/token', text),
    lock: () => existsSync(key) && rmSync(key),
    unlock: () => scratch.write('project/key', ''),
  }
}

describe('a command that prints a token', () => {
  it.each(['!', 'headersHelper'])(
    'does not delay the tools that are known, nor does its next token (%s)',
    async (how) => {
      await using http = await serveAccounts()
      using scratch = createScratch()
      const vault = createVault(scratch)
      const entry =
        how === '!'
          ? { type: 'http', url: http.url, headers: { Authorization: `!${vault.command}` } }
          : { type: 'http', url: http.url, headersHelper: vault.command }
      const put = (token: string): void =>
        vault.put(how === '!' ? token : JSON.stringify({ Authorization: token }))
      put('ada-1')
      vault.unlock()
      {
        await using board = await openFor(scratch, entry)
        expect(shown(board)).toEqual(['tool-of-ada'])
      }
      const asked = http.received.length
      vault.lock()
      put('ada-2')
      await using board = await openFor(scratch, entry)
      expect(shown(board)).toEqual(['tool-of-ada (deferred)'])
      expect(connectionOf(board, 'x').state).toBe('connecting')
      expect(http.received).toHaveLength(asked)
      vault.unlock()
      await untilState(board, 'x', 'ready')
      expect(http.received.at(-1)!.headers.authorization).toBe('ada-2')
      expect(shown(board)).toEqual(['tool-of-ada'])
    },
  )

  it('does not delay the tools of a server that is started, either', async () => {
    using scratch = createScratch()
    const vault = createVault(scratch)
    const entry = { ...serverEntry('well-behaved'), env: { TOKEN: `!${vault.command}` } }
    vault.put('first-token')
    vault.unlock()
    await (await openFor(scratch, entry)).close()
    vault.lock()
    vault.put('other-token')
    await using board = await openFor(scratch, entry)
    expect(shown(board)).toEqual(['echo (deferred)', 'slow (deferred)'])
    vault.unlock()
    await untilState(board, 'x', 'ready')
  })
})

describe('tools of another account', () => {
  /** A server that is known for Ada, and does not answer at the moment. */
  async function afterAda(
    entry: (url: string) => Entry,
    options: Parameters<typeof openFor>[2],
    more: object = {},
  ): Promise<AsyncDisposable & { readonly scratch: Scratch; readonly url: string }> {
    let isSilent = false
    const http = await serve((request) => isSilent || answer(request, more))
    const scratch = createScratch()
    const board = await openFor(scratch, entry(http.url), options)
    expect(shown(board)).toEqual(['tool-of-ada'])
    await board.close()
    isSilent = true
    return {
      scratch,
      url: http.url,
      async [Symbol.asyncDispose]() {
        await http[Symbol.asyncDispose]()
        scratch[Symbol.dispose]()
      },
    }
  }

  const TOKEN = (url: string): Entry => ({ type: 'http', url, headers: { Authorization: '${TOKEN}' } })
  const LITERAL =
    (token: string) =>
    (url: string): Entry => ({ type: 'http', url, headers: { Authorization: token } })
  const BARE = (url: string): Entry => ({ type: 'http', url })

  const tokenOf = (token: string, account?: string): { readonly credentials: CredentialSource } => ({
    credentials: {
      find: async () => new Secret(token),
      ...(account === undefined ? {} : { account: () => account }),
    },
  })

  it.each<[string, 'shown' | 'hidden', (url: string) => Entry, object, object, ((url: string) => Entry)?]>([
    ['with the same variable', 'shown', TOKEN, { env: { TOKEN: 'ada-1' } }, { env: { TOKEN: 'ada-1' } }],
    ['with another variable', 'hidden', TOKEN, { env: { TOKEN: 'ada-1' } }, { env: { TOKEN: 'bob-1' } }],
    ['with a token that was edited', 'hidden', LITERAL('ada-1'), {}, {}, LITERAL('bob-1')],
    ['with a new token of the same account', 'shown', BARE, tokenOf('ada-1', 'ada'), tokenOf('ada-2', 'ada')],
    ['with a token of another account', 'hidden', BARE, tokenOf('ada-1', 'ada'), tokenOf('bob-1', 'bob')],
    ['with a new token of nobody knows whom', 'hidden', BARE, tokenOf('ada-1'), tokenOf('bob-1')],
  ])('%s are %s', async (_, expected, entry, before, now, later = entry) => {
    await using known = await afterAda(entry, before)
    await using board = await openFor(known.scratch, later(known.url), { ...now, wait: 'moment' })
    expect(shown(board)).toEqual(expected === 'shown' ? ['tool-of-ada (deferred)'] : [])
  })

  it('are shown where their server calls them public', async () => {
    await using known = await afterAda(BARE, tokenOf('ada-1'), { cacheScope: 'public' })
    await using board = await openFor(known.scratch, BARE(known.url), { ...tokenOf('bob-1'), wait: 'moment' })
    expect(shown(board)).toEqual(['tool-of-ada (deferred)'])
  })
})
