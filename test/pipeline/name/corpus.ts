/**
 * corpus: what 48 real servers answered to `tools/list`, as they sent it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ListedTool } from '../../../src/model/offering.ts'

export interface CorpusServer {
  /** As a user would call it: the package, with `-` for `/`. */
  readonly server: string
  readonly tools: readonly ListedTool[]
}

const FOLDER = fileURLToPath(new URL('../../corpus/', import.meta.url))

export function readCorpus(): readonly CorpusServer[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      server: file.slice(0, -'.json'.length).replace('__', '-'),
      tools: (JSON.parse(readFileSync(FOLDER + file, 'utf8')) as { tools: ListedTool[] }).tools,
    }))
}
