/**
 * open: a gateway in front of real servers, and clients of the official SDK in front of it.
 */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openServing } from '../../../src/hosts/gateway/serve.ts'
import type { AuditWish, HttpServingOptions, OpenServing } from '../../../src/hosts/shared/gateway-host.ts'
import { MODERN_VERSION, type Era } from '../../../src/model/session.ts'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import { createObserved, lend, type Observed } from '../../worlds/observed.ts'

export const TOKEN = 'a-secret-that-clients-show'

export interface TestGateway extends AsyncDisposable {
  readonly serving: OpenServing
  readonly scratch: Observed
  readonly origin: string
  readonly url: (path?: string) => URL
}

/** Every tool may be called, unless other rules are given. */
const ALLOWED = [{ tool: 'mcp__*', action: 'allow' }]

export interface TestGatewayOptions {
  readonly rules?: readonly object[]
  readonly mode?: 'plan'
  readonly token?: string | undefined
  readonly http?: Partial<HttpServingOptions>
  readonly audit?: Partial<AuditWish>
  readonly env?: Readonly<Record<string, string>>
  /** The setting of this name. */
  readonly gateway?: object
  /** A home that an earlier gateway has left behind, and that somebody else clears away. */
  readonly scratch?: Observed
  /** By how much the clock of the gateway is ahead; a test may set it forward. */
  readonly ahead?: { readonly ms: number }
}

export async function openTestGateway(
  servers: Readonly<Record<string, object>>,
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const { rules = ALLOWED, mode, gateway } = options
  const token = 'token' in options ? options.token : TOKEN
  const scratch = options.scratch === undefined ? createObserved() : lend(options.scratch)
  writeSettings(scratch.home, { servers, rules, mode, gateway })
  const { clock } = scratch.world
  const { ahead = { ms: 0 } } = options
  const world = {
    ...scratch.world,
    env: { ...scratch.world.env, ...options.env },
    clock: { ...clock, now: () => clock.now() + ahead.ms },
  }
  const serving = await openServing({
    world,
    version: '1.2.3',
    persons: options.http?.issuer === undefined ? undefined : 'apart',
    ...(options.audit === undefined
      ? {}
      : { audit: { file: join(scratch.home, 'audit.jsonl'), arguments: 'left-out', ...options.audit } }),
    load: ({ world, ...how }) => loadCatalog(world, how),
  })
  const { http = {} } = options
  const port = await serving.overHttp({ host: '127.0.0.1', port: 0, token, ...http })
  const origin = `${http.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return {
    serving,
    scratch,
    origin,
    url: (path = '/mcp') => new URL(path, origin),
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

export function writeSettings(
  home: string,
  {
    servers,
    rules = ALLOWED,
    mode,
    gateway,
    toolNames,
  }: {
    readonly servers: object
    readonly rules?: readonly object[]
    readonly mode?: 'plan' | undefined
    readonly gateway?: object | undefined
    readonly toolNames?: string
  },
): void {
  const put = (path: string, value: object): void => {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(value))
  }
  put('.config/plugboard/mcp.json', { mcpServers: servers })
  put('.config/plugboard/settings.json', { permissions: { rules, mode }, gateway, toolNames })
}

/** The server made with the SDK, which speaks both eras, held to one. */
export function sdkEntry(era: Era): object {
  const file = fileURLToPath(new URL('../../servers/http/sdk.mjs', import.meta.url))
  return { command: process.execPath, args: [file, 'stdio'], protocol: protocolOf(era) }
}

export function protocolOf(era: Era): string {
  return era === 'legacy' ? 'legacy' : MODERN_VERSION
}

export interface TestClient extends AsyncDisposable {
  readonly client: Client
  /** What it was told, and what it was asked. */
  readonly told: { readonly method: string; readonly params?: object | undefined }[]
  readonly asked: { readonly method: string; readonly params?: object | undefined }[]
  /** Resolves when it was told of this, so many times. */
  untilTold(method: string, count?: number): Promise<void>
}

export interface ClientOptions {
  readonly era: Era
  /** Default: answers everything. */
  readonly capabilities?: object
  readonly elicit?: () => object
  readonly roots?: () => readonly { readonly uri: string }[]
  /** What it calls itself. */
  readonly name?: string
}

export const ANSWERS = {
  elicit: { action: 'accept', content: { name: 'Ada' } },
  sample: { model: 'none', role: 'assistant', content: { type: 'text', text: 'hello' } },
  roots: [{ uri: 'file:///shop', name: 'shop' }],
}

export async function connectClient(transport: Transport, options: ClientOptions): Promise<TestClient> {
  const {
    era,
    capabilities = { roots: {}, sampling: {}, elicitation: { form: {} } },
    elicit,
    roots,
  } = options
  const { name = 'test-client' } = options
  const client = new Client(
    { name, version: '1' },
    {
      capabilities,
      versionNegotiation: { mode: era === 'modern' ? { pin: MODERN_VERSION } : 'legacy' },
    },
  )
  const told: TestClient['told'] = []
  const asked: TestClient['asked'] = []
  let look = (): void => undefined
  client.fallbackNotificationHandler = async ({ method, params }) => {
    told.push({ method, params })
    look()
  }
  const has = (name: string): boolean => name in capabilities
  if (has('elicitation'))
    client.setRequestHandler('elicitation/create', async ({ method, params }) => {
      asked.push({ method, params })
      return (elicit?.() ?? structuredClone(ANSWERS.elicit)) as never
    })
  if (has('sampling'))
    client.setRequestHandler('sampling/createMessage', async ({ method, params }) => {
      asked.push({ method, params })
      return structuredClone(ANSWERS.sample) as never
    })
  if (has('roots'))
    client.setRequestHandler('roots/list', async ({ method }) => {
      asked.push({ method })
      return { roots: roots === undefined ? structuredClone(ANSWERS.roots) : [...roots()] }
    })
  await client.connect(transport)
  return {
    client,
    told,
    asked,
    untilTold: (method, count = 1) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`not told of ${method}: ${JSON.stringify(told)}`)),
          10_000,
        )
        look = () => {
          if (told.filter((one) => one.method === method).length < count) return
          clearTimeout(timer)
          resolve()
        }
        look()
      }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

export function textOf(result: unknown): string {
  return (result as { readonly content: { readonly text: string }[] }).content[0]!.text
}

export function httpTransport(url: URL, token: string = TOKEN): Transport {
  return new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
}

/** The built command. */
export function stdioTransport(scratch: Observed): Transport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL('../../../dist/bin.js', import.meta.url)), 'serve', '--stdio'],
    env: { PATH: process.env['PATH'] ?? '', HOME: scratch.home },
    cwd: scratch.project,
  })
}
