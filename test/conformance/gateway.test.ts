/**
 * gateway: the official suite's server scenarios, all of them, against servers of both eras and against the built gateway
 * in front of each. docs/design/gateway.md has the figures.
 *
 * The gateway chooses the era (`protocol: auto`), asks for its token, and shows the server at `/mcp/<server>` and among all
 * servers at `/mcp`. Whatever passes without it must pass through it, warnings included, but for what is named here.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startGateway } from '../hosts/cli/start-gateway.ts'
import { writeSettings } from '../hosts/gateway/open.ts'
import { startProgram } from '../servers/http/program.ts'
import { startTokenProxy } from './token-proxy.ts'

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

/** What is worse behind the gateway, by server or `protocol`, and version. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // It wants a question under a key of its own choice, which questions of older servers do not have.
  'legacy 2026-07-28': ['input-required-result-basic-elicitation: sep-2322-elicitation-incomplete: FAILURE'],
}

/** Every scenario of one version three times. */
const LONG = 300_000

/** From better to worse. What is not scored (`INFO`) is as good as a success: a scenario may have nothing to look at. */
const RANK = { SUCCESS: 0, INFO: 0, SKIPPED: 1, WARNING: 2, FAILURE: 3 } as const

/** The worst verdict of each check, by scenario and check. */
type Verdicts = ReadonlyMap<string, keyof typeof RANK>

it('has the same scenarios for the draft as for the last revision', () => {
  const list = (version: string): string =>
    execFileSync(process.execPath, [...SUITE, 'list', '--server', '--spec-version', version], {
      env,
    }).toString()
  expect(list('draft')).toBe(list('2026-07-28'))
})

describe.each(['reference'] as const)('before the %s server', (name) => {
  it.each(VERSIONS)(
    'passes all that it passes itself (%s)',
    async (version) => {
      await using server = await startProgram(name)
      const entry = { type: 'http', url: `${server.origin}/mcp` }
      await using gateway = await openBuilt(entry)
      const { token } = gateway
      const direct = await runSuite(`${server.origin}/mcp`, version)
      for (const path of ENDPOINTS) {
        const prefix = path === '/mcp' ? 'x__' : ''
        await using proxy = await startTokenProxy({ target: new URL(path, gateway.url), token, prefix })
        expect(worse(direct, await runSuite(proxy.url, version)), path).toEqual(
          KNOWN[`${name} ${version}`] ?? [],
        )
      }
    },
    LONG,
  )
})

describe.each(['legacy', '2026-07-28'] as const)('with `protocol: %s`', (protocol) => {
  it.each(VERSIONS)(
    'passes all that the server passes itself (%s)',
    async (version) => {
      await using server = await startProgram('reference')
      await using gateway = await openBuilt({ type: 'http', url: `${server.origin}/mcp`, protocol })
      const direct = await runSuite(`${server.origin}/mcp`, version)
      const target = new URL('/mcp/x', gateway.url)
      await using proxy = await startTokenProxy({ target, token: gateway.token })
      expect(worse(direct, await runSuite(proxy.url, version))).toEqual(KNOWN[`${protocol} ${version}`] ?? [])
    },
    LONG,
  )
})

function worse(direct: Verdicts, through: Verdicts): string[] {
  const failed = [...direct].filter(([check, verdict]) => RANK[through.get(check) ?? 'INFO'] > RANK[verdict])
  // A scenario that breaks off has one check of another name.
  const more = [...through].filter(([check, verdict]) => !direct.has(check) && RANK[verdict] > 0)
  return [...failed, ...more].map(([check]) => `${check}: ${through.get(check)}`)
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

/** Every scenario, one after the other in one process. */
async function runSuite(url: string, version: string): Promise<Verdicts> {
  const output = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
  try {
    const args = [...SUITE, 'server', '--url', url, '--suite', 'all', '--spec-version', version]
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
