/**
 * connect-worker: one sample for `connect.mjs`: one contestant, one case, in a process of its own. Prints it as JSON.
 */
import { fileURLToPath } from 'node:url'
import { openFloor } from './floor.mjs'
import { median } from './measure.mjs'

const TINY = fileURLToPath(new URL('servers/tiny.mjs', import.meta.url))

const CONTESTANTS = {
  async ours() {
    const { openPlugboard } = await import('../dist/index.js')
    return async (servers, options = {}) => {
      const board = await openPlugboard({ servers, strict: true, ...options })
      return {
        tools: () => board.tools().length,
        call: async (server, text) => {
          const result = await board.request(server, 'tools/call', { name: 'echo', arguments: { text } })
          return result.content[0].text
        },
        waitFor: (name) => board.waitFor(name),
        close: () => board.close(),
      }
    }
  },

  async sdk() {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    return async (servers) => {
      const clients = new Map()
      await Promise.all(
        Object.entries(servers).map(async ([name, { command, args, url }]) => {
          const client = new Client({ name: 'bench', version: '1' })
          const transport = url
            ? new StreamableHTTPClientTransport(new URL(url))
            : new StdioClientTransport({ command, args, maxBufferSize: 1 << 28, stderr: 'pipe' })
          // As ours: what a server writes to stderr is read and belongs to it, and its tools are at hand.
          transport.stderr?.on('data', () => {})
          await client.connect(transport)
          clients.set(name, Object.assign(client, { tools: await client.listTools() }))
        }),
      )
      return {
        call: async (server, text) => {
          const result = await clients.get(server).callTool({ name: 'echo', arguments: { text } })
          return result.content[0].text
        },
        close: () => Promise.all([...clients.values()].map((client) => client.close())),
      }
    }
  },

  async floor() {
    return async (servers) => {
      const all = await openFloor(servers)
      return {
        call: async (server, text) => (await all.get(server).call(text)).content[0].text,
        close: async () => all.forEach((one) => one.close()),
      }
    }
  },

  /** With everything that a call of a tool is given: arguments checked, a verdict, the result put into words. */
  async board() {
    const { openPlugboard } = await import('../dist/index.js')
    return async (servers) => {
      const how = { strict: true, wait: 'all', mode: 'bypass', loopLimit: 0, maxResultTokens: 0 }
      const board = await openPlugboard({ servers, ...how })
      return {
        call: async (server, text) => (await board.call({ server, tool: 'echo' }, { text })).text,
        close: () => board.close(),
      }
    }
  },
}

console.log(JSON.stringify(await work(JSON.parse(process.argv[2]))))
process.exit(0)

async function work({ what, who, url, tenth }) {
  const contestant = await CONTESTANTS[who]()
  switch (what) {
    case 'cache':
      return measureCache(contestant)
    case 'ready':
      return measureReady(contestant)
    case 'hang':
      return { 'nine ms': await measureHang(contestant, tenth) }
    case 'memory':
      return measureMemory(contestant)
    default:
      return measureCalls(contestant, what === 'http' ? { one: { url } } : { one: tiny() })
  }
}

function tiny(...flags) {
  return { command: process.execPath, args: [TINY, ...flags] }
}

function tinies(count, name = 's') {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${name}${i}`, tiny()]))
}

async function measureReady(contestant) {
  const before = performance.now()
  const used = process.cpuUsage()
  const board = await contestant(tinies(10), { wait: 'all' })
  const ready = performance.now() - before
  // Most of the time is the servers' own; this part of it is ours, and means something on a busy machine as well.
  const { user, system } = process.cpuUsage(used)
  await board.close()
  return { 'ready ms': ready, 'own CPU ms': (user + system) / 1000 }
}

/** For nine of ten: the tenth answers like the others, or never does. Either way it is a process that must start. */
async function measureHang(contestant, tenth) {
  const servers = { tenth: tiny(...(tenth === 'hangs' ? ['--hang'] : [])), ...tinies(9) }
  const before = performance.now()
  // Opening itself may take a moment of 250 ms, which is not what is asked.
  const board = await contestant(servers, { deadlineMs: 0 })
  await Promise.all(Object.keys(tinies(9)).map((name) => board.waitFor(name)))
  const time = performance.now() - before
  await board.close()
  return time
}

/** Filled by a first board, of which the servers answer; the second has servers that hang, under the same definitions. */
async function measureCache(contestant) {
  const servers = () =>
    Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`s${i}`, { ...tiny('${HANG:---answer}'), env: {} }]),
    )
  const first = await contestant(servers())
  await first.close()
  process.env.HANG = '--hang'
  const before = performance.now()
  const second = await contestant(servers())
  const time = performance.now() - before
  if (second.tools() !== 100) throw new Error(`${second.tools()} tools`)
  await second.close()
  return { 'tools ms': time }
}

/**
 * What fifty further servers take where fifty are connected. The first fifty would not do: while they connect, V8 makes
 * room for young objects, once and for all, which a contestant whose import is large has done before it begins.
 */
async function measureMemory(contestant) {
  const settled = async () => {
    // What is written down a moment after the start is loaded and done by then.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    globalThis.gc()
    globalThis.gc()
    return process.memoryUsage()
  }
  const first = await contestant(tinies(50, 'a'), { wait: 'all' })
  const before = await settled()
  const second = await contestant(tinies(50, 'b'), { wait: 'all' })
  const after = await settled()
  await first.close()
  await second.close()
  const live = ({ heapUsed, external }) => heapUsed + external
  return {
    'live kB per server': (live(after) - live(before)) / 50 / 1024,
    'resident MB in all': after.rss / 2 ** 20,
  }
}

async function measureCalls(contestant, servers) {
  const board = await contestant(servers)
  const small = 'x'.repeat(100)
  const call = (text) => board.call('one', text)
  const until = async (inFlight, ms) => {
    let count = 0
    const end = performance.now() + ms
    const loop = async () => {
      while (performance.now() < end) {
        await call(small)
        count += 1
      }
    }
    const before = performance.now()
    await Promise.all(Array.from({ length: inFlight }, loop))
    return (count / (performance.now() - before)) * 1000
  }
  const times = async (text, count) => {
    const all = []
    for (let i = 0; i < count; i++) {
      const before = performance.now()
      const got = await call(text)
      all.push(performance.now() - before)
      if (got.length !== text.length) throw new Error(`${got.length} of ${text.length} characters`)
    }
    return median(all)
  }
  await times(small, 1000)
  const p50 = await times(small, 3000)
  await until(32, 300)
  const at32 = await until(32, 1000)
  await until(256, 300)
  const at256 = await until(256, 1000)
  await times('z'.repeat(8 << 20), 1)
  const large = await times('z'.repeat(8 << 20), 4)
  await board.close()
  return { 'p50 µs': p50 * 1000, 'calls/s at 32': at32, 'calls/s at 256': at256, '8 MB ms': large }
}
