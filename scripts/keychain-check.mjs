/**
 * keychain-check: the real keychain of this machine, from the built command. Run by hand: it needs a desktop session, or
 *
 *   apt-get install gnome-keyring dbus
 *   npm run build && dbus-run-session -- node scripts/keychain-check.mjs --unlock
 *
 * `--unlock` starts gnome-keyring with an empty password, in a home of its own: nothing of the user's is touched.
 * Says what was found, and ends with 1 when something is not as it should be.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
const TOKEN = 'keychain-check-t0ken-1234567890'

const home = mkdtempSync(join(tmpdir(), 'plugboard-keychain-'))
const env = {
  ...process.env,
  HOME: home,
  XDG_DATA_HOME: join(home, 'data'),
  XDG_STATE_HOME: '',
  PLUGBOARD_HOME: '',
}
delete env.PLUGBOARD_KEYCHAIN
const faults = []

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(401).end()
    const { id, method } = body === '' ? {} : JSON.parse(body)
    if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end()
    const results = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'k', version: '1' },
      },
      'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'hello' }] },
    }
    const answer =
      method in results ? { result: results[method] } : { error: { code: -32601, message: 'no' } }
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
})

try {
  await main()
} finally {
  server.close()
  rmSync(home, { recursive: true, force: true })
}
for (const fault of faults) console.error(`not so: ${fault}`)
console.log(faults.length === 0 ? 'the keychain works' : 'the keychain does not work')
process.exitCode = faults.length === 0 ? 0 : 1

async function main() {
  if (process.argv.includes('--unlock')) unlock()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/mcp`
  write('.config/plugboard/mcp.json', JSON.stringify({ mcpServers: { guarded: { type: 'http', url } } }))
  write('token', TOKEN)
  const login = await plugboard('login', 'guarded', '--token-file', join(home, 'token'))
  expect('a token is taken', login.code === 0, login)
  const file = join(home, '.local/state/plugboard/sign-ins/sign-ins.json')
  const text = readFileSync(file, 'utf8')
  expect('it is not in the file', !text.includes(TOKEN), { text: text.replaceAll(TOKEN, '…') })
  expect('the file is sealed', text.includes('"sealed"'), { verdict: verdict() })
  const status = await plugboard('auth', 'status', '--json')
  expect('status says where it is kept', status.stdout.includes('"store":"keychain"'), status)
  const call = await plugboard('call', 'guarded', 'hello')
  expect('another process opens it', call.stdout === 'hello\n', call)
  const away = await plugboardIn(
    { ...env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' },
    'call',
    'guarded',
    'hello',
  )
  expect(
    'without the keychain it stays shut, and the command says so',
    process.platform !== 'linux' || (away.code === 4 && away.stderr.includes('keychain')),
    away,
  )
  const logout = await plugboard('logout', 'guarded')
  expect('it can be forgotten', logout.code === 0, logout)
}

function unlock() {
  mkdirSync(env.XDG_DATA_HOME, { recursive: true })
  const { status, stderr } = spawnSync(
    'gnome-keyring-daemon',
    ['--unlock', '--components=secrets', '--daemonize'],
    { env, input: '\n', encoding: 'utf8' },
  )
  expect('gnome-keyring starts', status === 0, { stderr })
}

function verdict() {
  return readFileSync(join(home, '.local/state/plugboard/sign-ins/keychain.json'), 'utf8')
}

function write(path, text) {
  mkdirSync(join(home, path, '..'), { recursive: true })
  writeFileSync(join(home, path), text)
}

function plugboard(...args) {
  return plugboardIn(env, ...args)
}

async function plugboardIn(environment, ...args) {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      env: environment,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

function expect(what, isSo, seen) {
  console.log(`${isSo ? 'ok    ' : 'failed'}  ${what}`)
  if (!isSo) faults.push(`${what}: ${JSON.stringify(seen)}`)
}
