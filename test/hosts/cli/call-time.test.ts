/**
 * call-time: how long `plugboard call` waits, for servers that give signs of life and never finish.
 */
import { expect, test } from 'vitest'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { SERVERS } from '../gateway/daemon.ts'

/** Never answers: tells of progress on and on, or asks for the roots again with every answer. */
const BUSY = `
import { send, serve, TOOLS } from ${JSON.stringify(`${SERVERS}/speak.mjs`)}
let count = 0
const askRoots = () => send({ id: 'roots-' + ++count, method: 'roots/list' })
const tell = (progressToken) => send({ method: 'notifications/progress', params: { progressToken, progress: ++count } })
const never = new Promise(() => undefined)
const tool = (name, call) => ({ name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true }, call })
serve({
  ready: new Promise((resolve) => setTimeout(resolve, Number(process.env.START_MS ?? 0))),
  before: ({ id, method }) => {
    if (method === undefined && String(id).startsWith('roots-')) setTimeout(askRoots, 20)
    return method === undefined
  },
  tools: [
    ...TOOLS,
    tool('progress', (_, { params }) => { setInterval(tell, 20, params._meta.progressToken); return never }),
    tool('roots', () => { askRoots(); return never }),
  ],
})
`

function openBusy(more: object = {}): Machine {
  const machine = openMachine({ '~/busy.mjs': BUSY })
  const busy = { command: process.execPath, args: [machine.at('~/busy.mjs')], ...more }
  machine.write({ '~/.config/plugboard/mcp.json': { mcpServers: { busy } } })
  return machine
}

const LATE = { outcome: 'unknown', problem: { code: 'call/timeout' } }

test.each(['progress', 'roots'])(
  '`--timeout` ends a call of `%s`, which gives signs of life',
  async (tool) => {
    using machine = openBusy()
    const said = await machine.json(['call', 'busy', tool, '--timeout', '3000'])
    expect(said).toMatchObject(LATE)
    expect((said as { readonly problem: { readonly message: string } }).problem.message).toBe(
      `\`busy.${tool}\` was called and did not answer: not done after 3000 ms`,
    )
  },
)

test('`--timeout` ends a call of a server that never finishes to start', async () => {
  const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
  using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: { silent } } })
  expect(await machine.json(['call', 'silent', 'x', '--timeout', '500'])).toMatchObject({
    outcome: 'not-sent',
    problem: { code: 'connect/not-ready', message: '`silent` was not ready after 500 ms' },
  })
})

test('what a server takes to start is part of `--timeout`', async () => {
  using machine = openBusy({ env: { START_MS: '3000' } })
  const said = (await machine.json(['call', 'busy', 'progress', '--timeout', '4000'])) as {
    readonly durationMs: number
  }
  expect(said).toMatchObject(LATE)
  // One after the other, they would take at least this long.
  expect(said.durationMs).toBeLessThan(7000)
})

test('`timeout` of an entry is put off by progress, and not by what the server asks', async () => {
  using machine = openBusy({ timeout: 400, maxDuration: 1500 })
  expect(await machine.json(['call', 'busy', 'roots'])).toMatchObject({
    ...LATE,
    problem: { message: '`busy.roots` was called and did not answer: no word for 400 ms' },
  })
  expect(await machine.json(['call', 'busy', 'progress'])).toMatchObject({
    ...LATE,
    problem: {
      message: '`busy.progress` was called and did not answer: not done after 1500 ms',
      hints: [expect.any(String), expect.stringContaining('`maxDuration` (milliseconds) in the entry')],
    },
  })
})

test('a gateway in the background keeps to both limits as well', async () => {
  using machine = openBusy({ maxDuration: 700 })
  expect(await machine.run(['serve', '--daemon'])).toMatchObject({ code: 0 })
  try {
    const all = await Promise.all([
      machine.json(['call', 'busy', 'progress']),
      machine.json(['call', 'busy', 'progress', '--timeout', '3000']),
    ])
    expect(all).toMatchObject([LATE, LATE])
  } finally {
    await machine.run(['stop'])
  }
})
