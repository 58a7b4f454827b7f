/**
 * driver: the client that the conformance suite tests: our library, a few lines that do what a scenario asks for, and a
 * browser whose user agrees to everything.
 *
 *   node test/conformance/driver.mjs <url>      with MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT from the suite
 */
import { get } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const home = mkdtempSync(join(tmpdir(), 'plugboard-conformance-'))
process.env.PLUGBOARD_HOME = home
process.env.PLUGBOARD_KEYCHAIN = 'off'
const { createNodeWorld, openPlugboard } = await import('../../dist/index.js')

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const board = await openPlugboard({
  world: { ...createNodeWorld(), browser: { open: agree } },
  servers: { suite: { type: 'http', url: process.argv.at(-1), oauth: oauthOf(scenario) } },
  strict: true,
  handlers: {
    roots: async () => [{ uri: 'file:///tmp' }],
    // A person who accepts the form as it stands.
    elicit: async ({ mode }) => (mode === 'url' ? { action: 'accept' } : { action: 'accept', content: {} }),
    sample: async () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'ok' } }),
  },
})

/** How often somebody is ready to sign in. */
const PATIENCE = 3

try {
  for (let times = 0; connection().state === 'needs-auth' && times < PATIENCE; times++) await signIn()
  if (connection().state !== 'ready') throw new Error(connection().problem?.message ?? connection().state)
  const { offering } = suite()
  for (const { name, arguments: args } of callsOf(offering)) {
    // Some scenarios refuse every call; what they look at is what was sent.
    await signedIn(() => board.request('suite', 'tools/call', { name, arguments: args })).catch((error) => {
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

function suite() {
  return board.snapshot().servers[0]
}

function connection() {
  return suite().connection
}

/** Signs in once more whenever a request was turned down for want of it. */
async function signedIn(request) {
  for (let times = 1; ; times++) {
    try {
      return await request()
    } catch (error) {
      const { wire } = error.failure ?? {}
      const isRefused = wire?.kind === 'http' && [401, 403].includes(wire.status)
      if (!isRefused || times === PATIENCE) throw error
      await signIn()
    }
  }
}

/** A server may turn down again who has just signed in; then its state says so. */
async function signIn() {
  await board.login('suite').catch((error) => {
    if (error.problem?.code !== 'connect/needs-auth') throw error
  })
}

/** What a user would have written into the entry. */
function oauthOf(name) {
  const { client_id: clientId, client_secret: clientSecret } = context
  switch (name) {
    case 'auth/pre-registration':
      return { clientId, clientSecret }
    case 'auth/client-credentials-basic':
      return { grantType: 'client_credentials', clientId, clientSecret }
    case 'auth/client-credentials-jwt': {
      const { private_key_pem: privateKey, signing_algorithm: signingAlgorithm = 'ES256' } = context
      return { grantType: 'client_credentials', clientId, privateKey, signingAlgorithm }
    }
    case 'auth/enterprise-managed-authorization': {
      const { idp_id_token: idToken, idp_token_endpoint: idpTokenUrl, idp_client_id: idpClientId } = context
      return { grantType: 'enterprise_managed', clientId, clientSecret, idToken, idpTokenUrl, idpClientId }
    }
    case 'auth/wif-jwt-bearer':
      return { grantType: 'jwt_bearer', clientId, assertion: context.valid_jwt }
    default:
      return { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' }
  }
}

/** Follows the page to where it leads, which is back to us. */
async function agree(url) {
  const back = (await fetch(url, { redirect: 'manual' })).headers.get('location')
  if (back !== null) get(back, (response) => response.resume())
  return { kind: 'opened', opener: 'driver' }
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
