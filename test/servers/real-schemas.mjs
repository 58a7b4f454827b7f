/**
 * real-schemas: the tools of a real server, `--of` a file of `test/corpus` (Playwright's), with their schemas. Each answers with its
 * arguments, defaults put in, as servers of the SDK read them. An argument that it does not know is a result with
 * `isError`; with `--refuses`, a JSON-RPC error.
 */
import { readFileSync } from 'node:fs'
import { Fault, hasFlag, serve, text, TOOLS } from './speak.mjs'

const at = process.argv.indexOf('--of')
const file = at === -1 ? 'playwright__mcp' : process.argv[at + 1]
const { tools } = JSON.parse(readFileSync(new URL(`../corpus/${file}.json`, import.meta.url), 'utf8'))

function answer({ properties = {} }, args) {
  const unknown = Object.keys(args).filter((key) => !Object.hasOwn(properties, key))
  if (unknown.length > 0 && hasFlag('refuses')) throw new Fault(-32602, 'unrecognized keys')
  if (unknown.length > 0) return { ...text('unrecognized keys'), isError: true }
  const defaults = Object.entries(properties).flatMap(([key, one]) =>
    one.default === undefined ? [] : [[key, one.default]],
  )
  return text(JSON.stringify({ ...Object.fromEntries(defaults), ...args }))
}

serve({
  tools: [...TOOLS, ...tools.map((tool) => ({ ...tool, call: (args) => answer(tool.inputSchema, args) }))],
})
