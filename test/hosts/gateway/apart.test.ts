/**
 * apart: clients that share a gateway, and what of one another they must not get: processes, questions, logs.
 */
import { describe, expect, it } from 'vitest'
import { server } from './daemon.ts'
import { connectClient, httpTransport, openTestGateway, type TestClient } from './open.ts'

const textOf = (result: unknown): string =>
  (result as { readonly content: { readonly text: string }[] }).content[0]!.text

async function who({ client }: TestClient): Promise<{ readonly pid: number; readonly cwd: string }> {
  return JSON.parse(textOf(await client.callTool({ name: 'who', arguments: {} }))) as never
}

describe('a gateway that runs by itself', () => {
  it('keeps clients apart where the entry says so, up to the limit of the settings', async () => {
    const one = server('tells-who', { isolation: 'session' })
    await using gateway = await openTestGateway({ one }, { gateway: { maxPerServer: 2 } })
    const connect = (): Promise<TestClient> =>
      connectClient(httpTransport(gateway.url('/mcp/one')), { era: 'legacy' })
    await using a = await connect()
    await using b = await connect()
    await using c = await connect()
    const [first, second, again] = [await who(a), await who(b), await who(a)]
    expect(again.pid).toBe(first.pid)
    expect(second.pid).not.toBe(first.pid)
    const refused = await c.client.callTool({ name: 'who', arguments: {} })
    expect(textOf(refused)).toContain('2 clients have this server for themselves already, which is the limit')
  })

  it('starts servers where it was started itself', async () => {
    await using gateway = await openTestGateway({ one: server('tells-who') })
    await using a = await connectClient(httpTransport(gateway.url('/mcp/one')), { era: 'legacy' })
    expect((await who(a)).cwd).toBe(gateway.scratch.project)
  })
})
