/**
 * load-source: modules of src/, which Node 20 cannot read as they are, bundled and imported.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCE = join(ROOT, 'source.ts')

/** `exports`: the text of a module in the folder of the repository, which says what is wanted. */
export async function loadSource(exports) {
  const source = {
    name: 'source',
    resolveId: (id) => (id === SOURCE ? id : undefined),
    load: (id) => (id === SOURCE ? exports : undefined),
  }
  const scratch = mkdtempSync(join(tmpdir(), 'plugboard-bench-'))
  try {
    const graph = await rolldown({
      cwd: ROOT,
      input: SOURCE,
      platform: 'node',
      // Left to Node: with a binary, or asked for by none of these.
      external: ['@clack/prompts', '@modelcontextprotocol/client', '@napi-rs/keyring'],
      resolve: { mainFields: ['module', 'main'] },
      transform: { target: 'node20.19' },
      plugins: [source],
    })
    const file = join(scratch, 'source.mjs')
    await graph.write({ file, codeSplitting: false })
    await graph.close()
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}
