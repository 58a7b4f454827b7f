/** What is asked and said before the first prompt: trust, sign-ins, and where nobody can be asked. */
import { expect, it } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { startAuthorizationServer } from '../../servers/authorization-server.ts'
import { startProtectedServer } from '../../servers/protected-server.ts'
import { openMachine } from '../../processes/plugboard.ts'
import { openScreen } from '../../processes/screen.ts'
import { leave, openStage } from './stage.ts'

it('asks about a server of the project with its exact command, and does not start it when it is declined', async () => {
  const entry = serverEntry('outcomes', '--flag', 'two words') as { args: string[] }
  using machine = openMachine({ './.mcp.json': { mcpServers: { theirs: entry } } })
  await using screen = openScreen(machine, { columns: 60 })
  const question = await screen.until('May it run in this project?')
  expect(question.replace(/\s+/g, '')).toContain(
    [process.execPath, ...entry.args.slice(0, -1), '"two words"'].join(' ').replace(/\s+/g, ''),
  )
  expect(question).toContain('An MCP server can do whatever you can')
  await screen.do('3', 'no servers')
  expect(await leave(screen)).toBe(0)

  await using after = openScreen(machine)
  await after.until('no servers')
  await after.do('/help\r', '/quit')
  expect(after.text()).not.toContain('May it run')
})

it('starts a server of the project once it is approved', async () => {
  using machine = openMachine({ './.mcp.json': { mcpServers: { theirs: serverEntry('outcomes') } } })
  await using screen = openScreen(machine)
  await screen.until('May it run in this project?')
  await screen.do('2', '1 ready')
  expect(screen.text()).toContain('theirs: added, ')
})

it('says which server needs a sign-in, and what to type', async () => {
  await using authorization = await startAuthorizationServer()
  await using server = await startProtectedServer({ authorization })
  await using stage = await openStage({ servers: { away: { type: 'http', url: server.url } } })
  await stage.screen.until('away needs sign-in')
  await stage.screen.until('away: needs you to sign in (/mcp auth away)')
})

it('is on the screen before any of its servers is, and none of them delays what is typed', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`slow-${i}`, serverEntry('never-answers')]),
  )
  await using stage = await openStage({ servers, script: [{ kind: 'text', text: 'At once.' }] })
  await stage.screen.until('20 connecting')
  await stage.screen.do('hello\r', 'At once.')
  expect(await leave(stage.screen)).toBe(0)
})

it('shows the servers and ends well where there is no terminal', async () => {
  using machine = openMachine({
    '~/.config/plugboard/mcp.json': { mcpServers: { x: serverEntry('outcomes') } },
  })
  const { code, stdout } = await machine.run([])
  expect([code, stdout]).toEqual([0, expect.stringContaining('x ')])
  const { code: refused, stderr } = await machine.run(['shell'])
  expect([refused, stderr]).toEqual([2, expect.stringContaining('the shell needs a terminal')])
})
