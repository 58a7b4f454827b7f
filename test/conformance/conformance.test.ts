/**
 * conformance: the official suite against our library, for both revisions that we speak: all that is required, and all
 * that is only reported, such as the extensions for authorization.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runChild } from '../processes/plugboard.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SUITE = [
  process.execPath,
  '--import',
  at('node20.mjs'),
  at('../../node_modules/@modelcontextprotocol/conformance/dist/index.js'),
]
const env = { PATH: process.env['PATH'] ?? '' }

describe.each(['2025-11-25', '2026-07-28'])('revision %s', (revision) => {
  it.each(scenariosOf(revision))(
    '%s',
    async (scenario) => {
      const output = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
      try {
        const command = `${process.execPath} ${at('driver.mjs')}`
        const { code, stdout, stderr } = await runChild(
          // prettier-ignore
          [...SUITE, 'client', '--scenario', scenario, '--spec-version', revision, '--force', '--timeout', '60000', '--command', command, '--output-dir', output],
          { cwd: output, env: { ...env, HOME: output } },
        )
        expect(code, `${stdout}\n${stderr}`).toBe(0)
        expect(stdout + stderr).toMatch(/OVERALL: PASSED/)
      } finally {
        rmSync(output, { recursive: true })
      }
    },
    90_000,
  )
})

/** As the suite itself lists them, so that none can be forgotten. */
function scenariosOf(revision: string): string[] {
  const [program, ...args] = SUITE
  const listed = execFileSync(program!, [...args, 'list', '--client', '--requirements', revision], { env })
  const [scored, unscored = ''] = listed.toString().split('Client scenarios')[1]!.split('never scored')
  const names = [...scored!.matchAll(/- (\S+)/g), ...unscored.matchAll(/- (\S+) \[client\]/g)]
  return names.map((match) => match[1]!)
}
