/**
 * visitor-proxy: commands that are carried out in a gateway go out as the terminal they were typed in would.
 */
import { expect, test } from 'vitest'
import { startProxy } from '../../servers/http/proxy.ts'
import { serveSessions } from '../../servers/http/sessions.ts'
import { openDaemonMachine } from './daemon.ts'

const RULES = {
  '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__*', action: 'allow' }] } },
}

test('the proxies of the visitor count, and not those of the gateway or of another visitor', async () => {
  await using proxy = await startProxy()
  await using server = await serveSessions()
  await using daemon = openDaemonMachine({ one: { type: 'http', url: server.url } }, RULES)
  const { machine } = daemon
  await machine.run(['serve', '--daemon'])
  const call = (env: Readonly<Record<string, string>>): Promise<unknown> =>
    machine.run(['call', 'one', 'who'], { env })
  expect(await call({})).toMatchObject({ code: 0 })
  expect(proxy.asked).toEqual([])
  expect(await call({ HTTP_PROXY: proxy.url })).toMatchObject({ code: 0 })
  const { length } = proxy.asked
  expect(proxy.asked.map(({ line }) => line)).toContain(`POST ${server.url}`)
  expect(await call({ HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' })).toMatchObject({ code: 0 })
  expect(await call({})).toMatchObject({ code: 0 })
  expect(proxy.asked).toHaveLength(length)
})
