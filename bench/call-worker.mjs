/**
 * call-worker: one sample for `call.mjs`: all contestants in one process, each with a server of its own, taking turns in
 * short rounds, so that whatever else the machine does hits them alike. Prints µs for each call as JSON,
 * of time and of this process's work: on a busy machine only the second means something.
 */
import { fileURLToPath } from 'node:url'
import { median } from './measure.mjs'

const TINY = fileURLToPath(new URL('servers/tiny.mjs', import.meta.url))
const SERVER = { command: process.execPath, args: [TINY] }
const ROUNDS = 40

const CONTESTANTS = {
  async sdk() {
    const { Client } = await import('@modelcontextprotocol/client')
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    const client = new Client({ name: 'bench', version: '1' })
    await client.connect(new StdioClientTransport(SERVER))
    await client.listTools()
    return {
      call: async (text) => (await client.callTool({ name: 'echo', arguments: { text } })).content[0].text,
      close: () => client.close(),
    }
  },

  async ours() {
    const { openPlugboard } = await import('../dist/index.js')
    const permit = async () => ({ kind: 'allowed', isUnchanged: true })
    const board = await openPlugboard({ servers: { one: SERVER }, strict: true, wait: 'all', permit })
    const { name } = board.tools().find(({ tool }) => tool === 'echo')
    return {
      call: async (text) => (await board.call(name, { text })).text,
      close: () => board.close(),
    }
  },

  /** For comparison: the same without the check, the guard and the translation. */
  async request() {
    const { openPlugboard } = await import('../dist/index.js')
    const board = await openPlugboard({ servers: { one: SERVER }, strict: true, wait: 'all' })
    return {
      call: async (text) =>
        (await board.request('one', 'tools/call', { name: 'echo', arguments: { text } })).content[0].text,
      close: () => board.close(),
    }
  },
}

const names = Object.keys(CONTESTANTS)
const open = {}
for (const name of names) open[name] = await CONTESTANTS[name]()
const report = {}
for (const [title, inFlight, count] of [
  ['one at a time', 1, 150],
  ['32 at a time', 32, 640],
]) {
  report[title] = await compare(inFlight, count)
}
for (const name of names) await open[name].close()
console.log(JSON.stringify(report))
process.exit(0)

async function compare(inFlight, count) {
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -ROUNDS / 4; round < ROUNDS; round++) {
    for (const name of names) {
      const each = await measure(open[name].call, inFlight, count)
      if (round >= 0) samples[name].push(each)
    }
  }
  const medianOf = (name, what) => median(samples[name].map((each) => each[what]))
  return Object.fromEntries(
    names.map((name) => [name, { wall: medianOf(name, 'wall'), cpu: medianOf(name, 'cpu') }]),
  )
}

/** No two texts are alike: the same call over and over is what the loop guard is there to stop. */
async function measure(call, inFlight, count) {
  let next = 0
  const loop = async () => {
    while (next < count) {
      const text = `${next++}`.padEnd(100, 'x')
      if ((await call(text)) !== text) throw new Error('another answer')
    }
  }
  const before = performance.now()
  const used = process.cpuUsage()
  await Promise.all(Array.from({ length: inFlight }, loop))
  const wall = ((performance.now() - before) * 1000) / count
  const { user, system } = process.cpuUsage(used)
  return { wall, cpu: (user + system) / count }
}
