/**
 * driver: the client that the conformance suite tests: our library, and a few lines that do what a scenario asks for.
 *
 *   node test/conformance/driver.mjs <url>      with MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT from the suite
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const home = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
process.env.PLUGBOARD_HOME = home
const { openPlugboard } = await import('../../dist/index.js')

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const board = await openPlugboard({
  servers: { suite: { type: 'http', url: process.argv.at(-1) } },
  strict: true,
  handlers: {
    roots: async () => [{ uri: 'file:///tmp' }],
    // A person who accepts the form as it stands.
    elicit: async ({ mode }) => (mode === 'url' ? { action: 'accept' } : { action: 'accept', content: {} }),
    sample: async () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'ok' } }),
  },
})

try {
  const [{ connection, offering }] = board.snapshot().servers
  if (connection.state !== 'ready') throw new Error(connection.problem?.message ?? connection.state)
  for (const { name, arguments: args } of callsOf(offering)) {
    // Some scenarios refuse every call; what they look at is what was sent.
    await board.request('suite', 'tools/call', { name, arguments: args }).catch((error) => {
      if (error.failure?.kind !== 'rpc') throw error
    })
  }
  for (const { uri } of offering.resources) await board.request('suite', 'resources/read', { uri })
  for (const { name } of offering.prompts)
    await board.request('suite', 'prompts/get', { name, arguments: {} })
} finally {
  await board.close()
  rmSync(home, { recursive: true })
}

function callsOf({ tools }) {
  if (context.toolCalls !== undefined) return context.toolCalls
  if (scenario === 'json-schema-2020-12-preservation') {
    const { inputSchema } = tools.find(({ name }) => name === 'json_schema_2020_12_tool')
    return [{ name: 'json_schema_echo', arguments: { schema: inputSchema } }]
  }
  return tools.map(({ name, inputSchema }) => ({ name, arguments: fillIn(inputSchema.properties ?? {}) }))
}

/** Something of the right type for every argument. */
function fillIn(properties) {
  const samples = { number: 5, integer: 5, boolean: true, object: {}, array: [] }
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type }]) => [name, samples[type] ?? 'us-west1']),
  )
}
