/**
 * trace: how much of src/ one call runs through. `npm run trace` prints three rows: a warm `board.call` over stdio, a warm
 * call through the gateway over HTTP, and a cold `plugboard call`. `--list <row>` prints the files of a row.
 *
 * V8 counts the functions that ran in our process (precise coverage), and source maps lead back to src/. The warm rows
 * cover the second of two identical calls, from the request to its result; the cold row covers the whole run.
 */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Answers over stdio, with one tool. */
const SERVER = `
const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } }
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'traced', version: '1' } },
  'tools/list': { tools: [tool] },
  'tools/call': { content: [{ type: 'text', text: 'x' }] },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const result = results[method]
  const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})`

/** Counts in the process that imports it. Whoever forked that process asks for the counts since the last time. */
const PROBE = `
import { Session } from 'node:inspector/promises'
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
export const take = async () => (await session.post('Profiler.takePreciseCoverage')).result
process.on('message', async () => process.send(await take()))
process.channel.unref()`

/** A program that embeds us. */
const HOST = `
import { openPlugboard } from './index.js'
import { take } from './probe.mjs'
const board = await openPlugboard({ wait: 'all', mode: 'bypass' })
const call = () => board.call({ server: 'traced', tool: 'echo' }, { text: 'x' })
await call()
await take()
const { outcome } = await call()
process.send(await take())
await board.close()
if (outcome !== 'done') throw new Error(outcome)`

const { values } = parseArgs({ options: { list: { type: 'string' }, json: { type: 'boolean' } } })
const work = mkdtempSync(join(tmpdir(), 'plugboard-trace-'))
try {
  buildTraced()
  const rows = {
    board: toRow(await traceBoard()),
    gateway: toRow(await traceGateway()),
    command: toRow(traceCommand()),
  }
  print(rows)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** As shipped, but every name and line is still there. */
function buildTraced() {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--traced', join(work, 'dist')])
  const put = (path, text) => {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
  }
  const traced = { command: process.execPath, args: ['-e', SERVER] }
  put('dist/package.json', '{ "type": "module" }')
  put('dist/probe.mjs', PROBE)
  put('dist/host.mjs', HOST)
  put('home/.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { traced } }))
  const permissions = { rules: [{ tool: 'mcp__*', action: 'allow' }] }
  put('home/.config/plugboard/settings.json', JSON.stringify({ permissions }))
  symlinkSync(join(ROOT, 'node_modules'), join(work, 'node_modules'), 'junction')
}

async function traceBoard() {
  const child = start('host.mjs', [])
  const [coverage] = await once(child, 'message')
  await once(child, 'close')
  return coverage
}

async function traceGateway() {
  const child = start('bin.js', ['serve', '--http', '0'])
  const url = await new Promise((resolve) => {
    let text = ''
    child.stderr.on('data', (chunk) => {
      const found = /serving (\S+\/mcp)/.exec((text += chunk))?.[1]
      if (found !== undefined) resolve(found)
    })
  })
  const take = async () => {
    child.send('take')
    return (await once(child, 'message'))[0]
  }
  const token = readFileSync(join(work, 'home/.local/state/plugboard/gateway-token'), 'utf8').trim()
  const session = await openSession(url, token)
  const call = () => session('tools/call', { name: 'mcp__traced__echo', arguments: { text: 'x' } })
  await call()
  await take()
  const { result } = await call()
  const coverage = await take()
  child.kill('SIGTERM')
  await once(child, 'close')
  if (result?.content[0].text !== 'x') throw new Error('the gateway did not answer the call')
  return coverage
}

/** A client of 2025-11-25: a function that sends a request and gives the answer. */
async function openSession(url, token) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
  }
  let id = 0
  const send = async (message) => {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    const text = await response.text()
    headers['mcp-session-id'] ??= response.headers.get('mcp-session-id')
    const json = text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)?.[1]
    return json === undefined ? undefined : JSON.parse(json)
  }
  const request = (method, params) => send({ id: (id += 1), method, params })
  const client = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'trace', version: '1' },
  }
  await request('initialize', client)
  await send({ method: 'notifications/initialized' })
  return request
}

function traceCommand() {
  const coverage = join(work, 'coverage')
  execFileSync(process.execPath, [join(work, 'dist/bin.js'), 'call', 'traced', 'echo', 'text=x'], {
    cwd: join(work, 'home'),
    env: { ...environment(), NODE_V8_COVERAGE: coverage },
  })
  // Children leave a file as well; they have none of our scripts in them.
  return readdirSync(coverage).flatMap(
    (file) => JSON.parse(readFileSync(join(coverage, file), 'utf8')).result,
  )
}

function start(file, args) {
  return fork(join(work, 'dist', file), args, {
    cwd: join(work, 'home'),
    env: environment(),
    execArgv: ['--import', pathToFileURL(join(work, 'dist/probe.mjs')).href],
    stdio: ['ignore', 'inherit', file === 'bin.js' ? 'pipe' : 'inherit', 'ipc'],
  })
}

function environment() {
  return { PATH: process.env.PATH, HOME: join(work, 'home') }
}

/** Coverage → per file of src/, the functions that ran. */
function toRow(coverage) {
  const functions = new Map()
  const own = coverage.filter(({ url }) => url.startsWith(pathToFileURL(join(work, 'dist')).href))
  for (const { url, functions: found } of own) {
    const file = fileURLToPath(url)
    // A file without a map has no code of src/: it leads to another one.
    if (!existsSync(`${file}.map`)) continue
    const locate = createLocator(file)
    // The first is the script itself, which runs when it is loaded.
    for (const { ranges, functionName } of found.slice(1)) {
      if (ranges[0].count === 0) continue
      const source = locate(ranges[0].startOffset)
      if (source === undefined) continue
      if (!functions.has(source.file)) functions.set(source.file, new Map())
      functions.get(source.file).set(`${source.line}:${source.column}`, functionName)
    }
  }
  return functions
}

/** Where in src/ a place of a built script comes from. */
function createLocator(file) {
  const text = readFileSync(file, 'utf8')
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    const line = findLast(starts, offset)
    const entry = map.findEntry(line, offset - starts[line])
    if (entry.originalSource === undefined) return undefined
    const source = relative(ROOT, resolve(dirname(file), entry.originalSource))
    if (!source.startsWith('src/')) return undefined
    return { file: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
  }
}

/** The last of the sorted numbers that is not above this one. */
function findLast(sorted, value) {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (sorted[middle] <= value) low = middle
    else high = middle - 1
  }
  return low
}

function print(rows) {
  const count = (row) => [...row.values()].reduce((sum, found) => sum + found.size, 0)
  const named = (row) =>
    [...row.values()].flatMap((found) => [...found.values()]).filter((name) => name !== '').length
  if (values.list !== undefined) return printFiles(rows[values.list])
  const counts = Object.entries(rows).map(([name, row]) => {
    return { name, files: row.size, functions: count(row), named: named(row) }
  })
  if (values.json) return console.log(JSON.stringify(counts))
  for (const { name, files, functions, named: some } of counts)
    console.log(`${name.padEnd(8)} ${files} files, ${functions} functions (${some} with a name)`)
}

function printFiles(row) {
  if (row === undefined) throw new Error('--list takes board, gateway or command')
  for (const [file, found] of [...row].sort())
    console.log(`${file}: ${[...found.values()].map((n) => n || '(anonymous)').join(', ')}`)
}
