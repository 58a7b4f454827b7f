/**
 * whole-run: what vitest itself printed, from the first test to the last: what tests and those they start wrote to its
 * stdout and stderr, its reports, the differences it shows. Searched at the end for every secret of every test file.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findSecrets, learn, type Noted } from './secrets.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file in which every process of the run notes the secrets that its tests made. */
    noted: string
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-secrets-'))
  const noted = join(folder, 'noted')
  writeFileSync(noted, '', { mode: 0o600 })
  project.provide('noted', noted)
  const printed = [process.stdout, process.stderr].map(listen)
  return () => {
    for (const line of readFileSync(noted, 'utf8').split('\n'))
      if (line !== '') learn(JSON.parse(line) as Noted)
    rmSync(folder, { recursive: true })
    const count = findSecrets(printed.map((read) => read()).join('\n')).length
    if (count === 0) return
    // Vitest tells of what is thrown here, and would still call the run a success.
    process.exitCode = 1
    throw new Error(`vitest printed ${count} secrets of the tests`)
  }
}

/** Gives what was written so far. */
function listen(stream: NodeJS.WriteStream): () => string {
  const texts: string[] = []
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean
  stream.write = (...args: readonly unknown[]) => {
    texts.push(typeof args[0] === 'string' ? args[0] : Buffer.from(args[0] as Uint8Array).toString('latin1'))
    return write(...args)
  }
  return () => texts.join('')
}
