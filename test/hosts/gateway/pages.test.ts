/**
 * pages: lists that are too long for one answer, as clients of both eras get them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGE_SIZE } from '../../../src/hosts/gateway/page.ts'
import type { Era } from '../../../src/model/session.ts'
import { serverEntry } from '../../boards/open.ts'
import { openTestGateway, TOKEN, type TestGateway } from './open.ts'
import { connectRaw, overHttp, type RawClient } from './raw-client.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']
const COUNT = 2500

const LISTS = [
  ['tools/list', 'tools', 'name', 'tool_'],
  ['resources/list', 'resources', 'uri', 'large://'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate', 'large://'],
  ['prompts/list', 'prompts', 'name', 'prompt_'],
] as const

type Item = Readonly<Record<string, string>>
type Listed = Readonly<Record<string, readonly Item[]>> & { readonly nextCursor?: string }

async function list(client: RawClient, method: string, cursor?: string): Promise<Listed> {
  const { result, error } = await client.request(method, cursor === undefined ? {} : { cursor })
  if (error !== undefined) throw Object.assign(new Error(JSON.stringify(error)), error)
  return result as unknown as Listed
}

async function pages(client: RawClient, method: string): Promise<Listed[]> {
  const all = [await list(client, method)]
  for (let next = all[0]!.nextCursor; next !== undefined; next = all.at(-1)!.nextCursor)
    all.push(await list(client, method, next))
  return all
}

const connect = (gateway: TestGateway, era: Era, path: string): Promise<RawClient> =>
  connectRaw(era, overHttp(gateway.url(path), TOKEN))

describe('a list that nobody changes', () => {
  let gateway: TestGateway

  beforeAll(async () => {
    gateway = await openTestGateway({ x: serverEntry('large', '--count', String(COUNT)) })
    await gateway.serving.board.waitFor('x')
  })
  afterAll(async () => gateway[Symbol.asyncDispose]())

  describe.each(ERAS)('for a %s client', (era) => {
    it.each(LISTS)(
      'comes in pages, in which nothing is missing or twice: %s',
      async (...[method, key, id, mark]) => {
        for (const path of ['/mcp', '/mcp/x']) {
          await using client = await connect(gateway, era, path)
          const all = await pages(client, method)
          const sizes = all.map((page) => page[key]!.length)
          expect(sizes.slice(0, -1)).toEqual([PAGE_SIZE, PAGE_SIZE])
          const shown = all.flatMap((page) => page[key]!.map((item) => item[id]!))
          expect(new Set(shown).size).toBe(shown.length)
          const whose = shown.filter((name) => name.includes(mark))
          expect(whose).toHaveLength(COUNT)
          if (era === 'modern')
            for (const page of all) expect(page).toMatchObject({ resultType: 'complete', ttlMs: 0 })
        }
      },
    )

    it('refuses a cursor that is of no page of it', async () => {
      await using client = await connect(gateway, era, '/mcp')
      const { nextCursor } = await list(client, 'tools/list')
      const strange = ['', 'x', 'tool', 'tool 1000', 'tool 1000 "none"', `${nextCursor} `]
      for (const cursor of strange)
        await expect(list(client, 'tools/list', cursor), cursor).rejects.toMatchObject({ code: -32602 })
      // Of another list.
      await expect(list(client, 'prompts/list', nextCursor)).rejects.toMatchObject({ code: -32602 })
      await expect(list(client, 'prompts/list', 7 as never)).rejects.toMatchObject({ code: -32602 })
    })
  })
})

describe.each(ERAS)('for a %s client, a list that changes between two pages', (era) => {
  it('goes on where it left off, or is refused when that place is gone', async () => {
    await using gateway = await openTestGateway({ x: serverEntry('large', '--count', '1500') })
    await using client = await connect(gateway, era, '/mcp/x')
    const names = ({ tools }: Listed): string[] => tools!.map(({ name }) => name!)
    const change = async (tool: string, args: object): Promise<void> => {
      const changed = new Promise<void>((resolve) => {
        const stop = gateway.serving.board.on('change', ({ tools }) => {
          if (!tools) return
          stop()
          resolve()
        })
      })
      await client.request('tools/call', { name: tool, arguments: args })
      await changed
    }
    const first = await list(client, 'tools/list')
    const last = Number(names(first).at(-1)!.slice('tool_'.length))
    await change('drop', { at: 1 })
    await change('grow', { after: last + 1 })
    const rest = names(await list(client, 'tools/list', first.nextCursor))
    expect(rest.slice(0, 3)).toEqual([`tool_${last + 1}`, `grown_${last + 1}`, `tool_${last + 2}`])
    expect(rest.at(-1)).toBe('tool_1500')
    await change('drop', { at: last })
    await expect(list(client, 'tools/list', first.nextCursor)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('does not fit the list') as string,
    })
  })
})
