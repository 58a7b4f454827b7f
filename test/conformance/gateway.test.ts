/**
 * gateway: the official suite's server scenarios, all of them, against a server of both eras and against the built gateway
 * in front of it; with `PLUGBOARD_CONFORMANCE_SERVERS`, also against others. docs/design/gateway.md has the figures.
 *
 * The gateway chooses the era (`protocol: auto`), asks for its token, and shows the server at `/mcp/<server>` and among all
 * servers at `/mcp`. Whatever passes without it must pass through it, warnings included, but for what is named here.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startGateway } from '../hosts/cli/start-gateway.ts'
import { writeSettings } from '../hosts/gateway/open.ts'
import { startProgram } from '../servers/http/program.ts'
import { startTokenProxy, type TokenProxy, type TokenProxyOptions } from './token-proxy.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SUITE = [
  '--import',
  at('node20.mjs'),
  at('../../node_modules/@modelcontextprotocol/conformance/dist/index.js'),
]
const env = { PATH: process.env['PATH'] ?? '' }

/** Published revisions. `draft` is another word for the last, which a test below makes sure of. */
const VERSIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

const ENDPOINTS = ['/mcp/x', '/mcp'] as const

/**
 * Commands of further servers, separated by `;`: official examples are in no package, and their code is not copied here. Each
 * server reads its port from `PORT`, prints a line with it once it listens, and serves at `/mcp`.
 */
const COMMANDS = (process.env['PLUGBOARD_CONFORMANCE_SERVERS'] ?? '')
  .split(';')
  .filter((one) => one.trim() !== '')
const SERVERS = ['reference' as const, ...COMMANDS.map((command) => command.trim().split(/\s+/))]

/** What is worse behind the gateway, by file of the server or `protocol`, and version. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // The suite's example answers `subscriptions/listen` with lines of JSON in place of events, and says that lists changed
  // which did not.
  'everything-server 2026-07-28': [
    'server-stateless: sep-2575-server-sends-prompts-list-changed-on-subscription: WARNING',
    'server-stateless: sep-2575-server-sends-tools-list-changed-on-subscription: WARNING',
  ],
  // It wants a question under a key of its own choice, which questions of older servers do not have.
  'legacy 2026-07-28': [
    'input-required-result-basic-elicitation: sep-2322-elicitation-incomplete: FAILURE',
    'input-required-result-basic-elicitation: sep-2322-elicitation-complete: not there',
  ],
  // A server of 2026-07-28 logs for clients that ask for it. The suite does not, so the answer needs no stream.
  '2026-07-28 2025-11-25': [
    'server-sse-polling: server-sse-priming-event: not there',
    'server-sse-polling: server-sse-retry-field: not there',
  ],
}

/**
 * What may have nothing to look at behind the gateway: it answers in JSON until there is something to tell, and never ends a
 * stream before the answer.
 */
const OF_STREAMS: ReadonlySet<string> = new Set([
  'server-sse-multiple-streams: server-sse-streams-functional',
  'server-sse-polling: server-sse-disconnect-resume',
])

/** For every scenario of one version three times. */
const LONG = { timeout: 300_000 }

/** From better to worse. Not scored (`INFO`): a scenario had nothing to look at, or tells how it went. */
const RANK = { SUCCESS: 0, INFO: 1, SKIPPED: 1, WARNING: 2, FAILURE: 3 } as const

/** The worst verdict of each check, by scenario and check. */
type Verdicts = ReadonlyMap<string, keyof typeof RANK>

it('has the same scenarios for the draft as for the last revision', () => {
  const list = (version: string): string =>
    execFileSync(process.execPath, [...SUITE, 'list', '--server', '--spec-version', version], {
      env,
    }).toString()
  expect(list('draft')).toBe(list('2026-07-28'))
})

describe.each(SERVERS.map((server) => [nameOf(server), server] as const))('before %s', (name, server) => {
  it.for(VERSIONS)('passes all that it passes itself (%s)', LONG, async (version, { annotate }) => {
    await using program = await startProgram(server)
    await using gateway = await openBuilt({ type: 'http', url: `${program.origin}/mcp` })
    const direct = await runSuite(`${program.origin}/mcp`, version)
    if (server === 'reference') expect(failing(direct)).toEqual([])
    for (const path of ENDPOINTS) {
      await using proxy = await openEndpoint(gateway, path)
      const through = await runSuite(proxy.url, version)
      await annotate(`${path}: ${count(direct)} directly, ${count(through)} through the gateway`)
      expect(worse(direct, through), path).toEqual(KNOWN[`${name} ${version}`] ?? [])
    }
  })
})

describe.each(['legacy', '2026-07-28'] as const)('with `protocol: %s`', (protocol) => {
  it.each(VERSIONS)('passes all that the server passes itself (%s)', LONG, async (version) => {
    await using program = await startProgram('reference')
    await using gateway = await openBuilt({ type: 'http', url: `${program.origin}/mcp`, protocol })
    const direct = await runSuite(`${program.origin}/mcp`, version)
    await using proxy = await openEndpoint(gateway, '/mcp/x')
    expect(worse(direct, await runSuite(proxy.url, version))).toEqual(KNOWN[`${protocol} ${version}`] ?? [])
  })
})

it.each(ENDPOINTS)(
  'gives a client whose connection breaks its answer when it comes back (%s)',
  async (path) => {
    await using program = await startProgram('reference')
    await using gateway = await openBuilt({ type: 'http', url: `${program.origin}/mcp` })
    await using proxy = await openEndpoint(gateway, path, { breaks: 'test_reconnection' })
    const verdicts = await runSuite(proxy.url, '2025-11-25', 'server-sse-polling')
    for (const check of ['priming-event', 'retry-field', 'disconnect-resume'])
      expect(verdicts.get(`server-sse-polling: server-sse-${check}`), check).toBe('SUCCESS')
    expect(failing(verdicts)).toEqual([])
  },
)

function nameOf(server: (typeof SERVERS)[number]): string {
  return typeof server === 'string' ? server : parse(server.at(-1)!).name
}

function openEndpoint(
  { url, token }: BuiltGateway,
  path: (typeof ENDPOINTS)[number],
  more: Pick<TokenProxyOptions, 'breaks'> = {},
): Promise<TokenProxy> {
  return startTokenProxy({ target: new URL(path, url), token, prefix: path === '/mcp' ? 'x__' : '', ...more })
}

/** What passes less well than without the gateway. A check that is not there had nothing to look at. */
function worse(direct: Verdicts, through: Verdicts): string[] {
  const rank = (verdicts: Verdicts, check: string): number => RANK[verdicts.get(check) ?? 'INFO']
  return [...new Set([...direct.keys(), ...through.keys()])]
    .filter((check) => rank(through, check) > rank(direct, check))
    .filter((check) => rank(through, check) > RANK.INFO || !OF_STREAMS.has(check))
    .map((check) => `${check}: ${through.get(check) ?? 'not there'}`)
}

function failing(verdicts: Verdicts): string[] {
  return [...verdicts].filter(([, verdict]) => RANK[verdict] > RANK.INFO).map((pair) => pair.join(': '))
}

/** Scenarios without a failure or warning, of all. */
function count(verdicts: Verdicts): string {
  const scenarioOf = (check: string): string => check.split(': ')[0]!
  const all = new Set([...verdicts.keys()].map(scenarioOf))
  const others = new Set(failing(verdicts).map(scenarioOf))
  return `${all.size - others.size} of ${all.size}`
}

interface BuiltGateway extends AsyncDisposable {
  readonly url: URL
  readonly token: string
}

/** The command, with one server in the settings of its user. */
async function openBuilt(entry: object): Promise<BuiltGateway> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
  writeSettings(home, { servers: { x: entry }, toolNames: 'bare' })
  const { child, url, exit } = await startGateway(home, home)
  return {
    url,
    token: readFileSync(join(home, '.local/state/plugboard/gateway-token'), 'utf8').trim(),
    async [Symbol.asyncDispose]() {
      child.kill()
      await exit
      rmSync(home, { recursive: true })
    },
  }
}

/** Every scenario, one after the other in one process; or one of them. */
async function runSuite(url: string, version: string, scenario?: string): Promise<Verdicts> {
  const output = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
  try {
    const chosen = scenario === undefined ? ['--suite', 'all'] : ['--scenario', scenario]
    const args = [...SUITE, 'server', '--url', url, ...chosen, '--spec-version', version]
    const said = await run([...args, '--output-dir', output], output)
    const verdicts = readVerdicts(output)
    if (verdicts.size === 0) throw new Error(said)
    return verdicts
  } finally {
    rmSync(output, { recursive: true })
  }
}

/** Its exit code says whether all passed, which its files say in more words. */
function run(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const pipe of [child.stdout, child.stderr])
      pipe.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}

interface Check {
  readonly id: string
  readonly status: keyof typeof RANK
}

function readVerdicts(output: string): Verdicts {
  const verdicts = new Map<string, keyof typeof RANK>()
  for (const folder of readdirSync(output)) {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
    const checks = JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8')) as readonly Check[]
    for (const { id, status } of checks) {
      const check = `${scenario}: ${id}`
      const before = verdicts.get(check)
      if (before === undefined || RANK[status] > RANK[before]) verdicts.set(check, status)
    }
  }
  return verdicts
}
