/**
 * gateway: the official suite's server requirements, against our reference server and against the gateway in front of it.
 *
 * Behind a server of the same era the gateway must be as good as the server itself. Across eras everything must pass but
 * what is named here, and that only because the eras differ in it.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Era } from '../../src/model/session.ts'
import { openTestGateway, protocolOf } from '../hosts/gateway/open.ts'
import { startProgram } from '../servers/http/program.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SUITE = [
  '--import',
  at('node20.mjs'),
  at('../../node_modules/@modelcontextprotocol/conformance/dist/index.js'),
]

const REVISIONS = { legacy: '2025-11-25', modern: '2026-07-28' } as const
const REQUIRED = { legacy: 30, modern: 37 } as const
const ERAS = ['legacy', 'modern'] as const

/** What cannot pass when the client is of one era and the server of the other, and why. */
const INHERENT: Readonly<Record<Era, Readonly<Record<string, string>>>> = {
  legacy: {},
  modern: {
    'input-required-result-basic-elicitation':
      'the suite wants the question under the key `user_name`, which the server gives it in 2026-07-28; a question of a legacy server has an id, a message and a schema, and the word is in none of them',
  },
}

interface Verdicts {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
}

describe('the reference server itself', () => {
  it.each(ERAS)('meets every requirement of the %s revision', async (era) => {
    await using server = await startProgram('reference')
    const { passed, failed } = await runSuite(`${server.origin}/mcp`, era)
    expect({ failed, count: passed.length }).toEqual({ failed: [], count: REQUIRED[era] })
  })
})

describe.each(ERAS)('the gateway, asked by the %s suite', (era) => {
  it.each(ERAS)('before a %s server', async (behind) => {
    await using server = await startProgram('reference')
    const entry = { type: 'http', url: `${server.origin}/mcp`, protocol: protocolOf(behind) }
    await using gateway = await openTestGateway({ x: entry }, { token: undefined })
    const { failed } = await runSuite(gateway.url('/mcp/x').href, era)
    expect(failed).toEqual(era === behind ? [] : Object.keys(INHERENT[era]))
  })
})

/** Scored scenarios alone. */
async function runSuite(url: string, era: Era): Promise<Verdicts> {
  const output = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
  try {
    const args = [...SUITE, 'server', '--url', url, '--requirements', REVISIONS[era], '--output-dir', output]
    return readVerdicts(await run(args, output))
  } finally {
    rmSync(output, { recursive: true })
  }
}

/** Its exit code says whether all passed, which the summary says in more words. */
function run(args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const pipe of [child.stdout, child.stderr])
      pipe.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}

function readVerdicts(said: string): Verdicts {
  const [, summary = ''] = said.split('=== SUMMARY ===')
  const [scored = '', unscored = ''] = summary.split('Not scored for')
  const free = new Set([...unscored.matchAll(/[✓✗] (\S+) \(/g)].map((match) => match[1]!))
  const all = [...scored.matchAll(/([✓✗]) (\S+): /g)]
    .map(([, mark, name]) => ({ mark, name: name! }))
    .filter(({ name }) => !free.has(name))
  if (all.length === 0) throw new Error(said)
  const named = (mark: string): string[] => all.filter((one) => one.mark === mark).map(({ name }) => name)
  return { passed: named('✓'), failed: named('✗') }
}
