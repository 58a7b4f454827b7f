/**
 * build: src/ → dist/.
 *
 *   bin.js       the command
 *   index.js     the library; ai.js, anthropic.js, langchain.js, openai.js: its adapters, each for a package of the host
 *   chunks/      what these share, and what they import when it is needed
 *   types/       declarations
 *
 *   node scripts/build.mjs [--traced <folder>]    there instead, with source maps and every line, for scripts/trace.mjs
 *
 * It is one graph of ES modules: in any process, each module is there once. Rolldown and not esbuild, which makes a chunk
 * of every set of entry points that share something, more than a hundred: Rolldown lets us say what belongs together.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { createGroups } from './chunks.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [isTraced, dist = join(root, 'dist')] = [process.argv[2] === '--traced', process.argv[3]]
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Each is a file of `src/hosts/adapters`, and an export of the package. */
const ADAPTERS = ['ai', 'anthropic', 'langchain', 'openai']

/** Left to Node to load: rarely needed, or with a binary. */
const EXTERNAL = ['@clack/prompts', '@modelcontextprotocol/client', '@napi-rs/keyring']

/** What adapters are for is the host's, although the shell has some of it inside. */
const OF_THE_HOST = /^(?:ai|openai|@ai-sdk\/.*|@anthropic-ai\/.*|@langchain\/.*)$/

/** Parts of the packages inside that are never needed here, and what stands in for them. */
const unneeded = {
  name: 'unneeded',
  resolveId(id, importer = '') {
    if (/src[\\/]hosts[\\/]adapters/.test(importer) && OF_THE_HOST.test(id)) return { id, external: true }
    const isDebugger = /[\\/]ink[\\/]/.test(importer) && id === './devtools.js'
    return isDebugger ? { id: 'data:text/javascript,', external: true } : undefined
  },
  load(id) {
    // For models that Vercel sells, which the shell does not offer.
    if (/[\\/]@vercel[\\/]oidc[\\/]/.test(id))
      return 'export const getContext = () => ({}); export const getVercelOidcToken = async () => ""'
    // Where the environment says `DEV=true`, Ink looks for a debugger, and for a file beside its own.
    return /[\\/]ink[\\/]build[\\/]utils\.js$/.test(id) ? 'export const isDev = () => false' : undefined
  },
}

rmSync(dist, { recursive: true, force: true })
const { groups, requireAll } = createGroups()
const graph = await rolldown({
  cwd: root,
  input: {
    bin: 'src/bin.ts',
    index: 'src/index.ts',
    ...Object.fromEntries(ADAPTERS.map((name) => [name, `src/hosts/adapters/${name}.ts`])),
  },
  platform: 'node',
  external: EXTERNAL,
  // The ES module builds of packages that have both: smaller when bundled, and without `require`.
  resolve: { mainFields: ['module', 'main'] },
  transform: {
    target: 'node20.19',
    define: { __PLUGBOARD_VERSION__: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' },
  },
  plugins: [unneeded],
  onLog: (_, { message }) => {
    throw new Error(message)
  },
})
await graph.write({
  dir: dist,
  // Names stay readable in stack traces; white space costs parse time.
  minify: isTraced ? false : { compress: true, mangle: false, codegen: true },
  sourcemap: isTraced,
  comments: { legal: true, annotation: true, jsdoc: false },
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { groups },
})
await graph.close()
requireAll()
chmodSync(join(dist, 'bin.js'), 0o755)
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']
if (!isTraced) execFileSync(process.execPath, tsc, { cwd: root, stdio: 'inherit' })
