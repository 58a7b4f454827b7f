/**
 * theirs: the SDK's client as an oracle.
 */
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UrlElicitationRequiredError,
  type LoggingLevel,
  type RequestOptions,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Params } from '../../src/model/message.ts'
import { MODERN_VERSION } from '../../src/model/session.ts'
import { ANSWERS, CLIENT, type AskOptions, type Diary, type OpenOptions, type Oracle } from './oracle.ts'
import type { Outcome, Place } from './oracle.ts'

/** Lets everything through, so that nothing the server sent is lost on the way. */
const ANYTHING: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
}

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

export async function openTheirs(place: Place, options: OpenOptions): Promise<Oracle> {
  const { diary, logLevel } = options
  const client = createClient(options)
  await client.connect(openTransport(place, diary))
  const isModern = client.getProtocolEra() === 'modern'
  if (logLevel !== undefined && !isModern) await client.setLoggingLevel(logLevel as LoggingLevel)
  if (isModern && client.getServerCapabilities()?.tools?.listChanged === true)
    await client.listen({ toolsListChanged: true })
  return {
    hello: {
      version: client.getNegotiatedProtocolVersion(),
      capabilities: client.getServerCapabilities(),
      serverInfo: client.getServerVersion(),
      instructions: client.getInstructions(),
    },
    diary,
    hearsLastProgress: 'perhaps',
    async ask(method, params = {}, ask = {}) {
      const meta = isModern && logLevel !== undefined ? { _meta: { [LOG_LEVEL]: logLevel } } : {}
      const send = (): Promise<unknown> =>
        client.request({ method, params: { ...params, ...meta } }, ANYTHING, toOptions(ask))
      try {
        const result = await send().catch((error: unknown) => {
          if (!(error instanceof UrlElicitationRequiredError) || options.answers === 'none') throw error
          for (const page of error.elicitations) diary.write('asked', 'elicitation/create', { ...page })
          return send() // PAGES
        })
        return { result }
      } catch (error) {
        return toFailed(error, ask.signal)
      }
    },
    // TASKS
    listTools: async () =>
      (await client.listTools()).tools.filter(({ execution }) => execution?.taskSupport !== 'required'),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function createClient({ era, diary, answers = 'all' }: OpenOptions): Client {
  const mode = era === 'modern' ? { pin: MODERN_VERSION } : era
  const capabilities = {
    roots: {},
    sampling: {},
    elicitation: { form: { applyDefaults: true }, url: {} },
  }
  const client = new Client(CLIENT, {
    capabilities: answers === 'all' ? capabilities : {},
    versionNegotiation: { mode },
  })
  client.fallbackNotificationHandler = async ({ method, params }) => diary.write('told', method, params)
  if (answers === 'none') return client
  const note = (method: string, params: unknown): void => diary.write('asked', method, params as Params)
  client.setRequestHandler('elicitation/create', async ({ method, params }) => {
    note(method, params)
    return structuredClone(ANSWERS.elicit)
  })
  client.setRequestHandler('sampling/createMessage', async ({ method, params }) => {
    note(method, params)
    return structuredClone(ANSWERS.sample)
  })
  client.setRequestHandler('roots/list', async ({ method }) => {
    note(method, {})
    return { roots: structuredClone(ANSWERS.roots) as unknown as { uri: string }[] }
  })
  return client
}

function openTransport(place: Place, diary: Diary): Transport {
  if (place.kind !== 'stdio') {
    const url = new URL(place.url)
    return place.kind === 'http' ? new StreamableHTTPClientTransport(url) : new SSEClientTransport(url)
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...place.args],
    env: { PATH: process.env['PATH'] ?? '' },
    stderr: 'pipe',
  })
  createInterface({ input: transport.stderr as Readable }).on('line', (line) => diary.writeLine(line))
  return transport
}

function toOptions({ signal, timeoutMs, onProgress }: AskOptions): RequestOptions {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, resetTimeoutOnProgress: true }),
    ...(onProgress === undefined ? {} : { onprogress: (progress) => onProgress({ ...progress }) }),
  }
}

function toFailed(error: unknown, signal: AbortSignal | undefined): Outcome {
  // An abort is told as a timeout, or as whatever its reason is: only the signal knows.
  if (signal?.aborted === true) return { failed: 'aborted' }
  if (error instanceof ProtocolError) {
    const { code, message, data } = error
    return { error: { code, message, ...(data === undefined ? {} : { data }) } }
  }
  if (error instanceof SdkHttpError && error.status === 404) {
    const { text } = error.data as unknown as { readonly text: string }
    return JSON.parse(text, (key, value: unknown) => (key === 'id' || key === 'jsonrpc' ? undefined : value)) // NOT_FOUND_BODY
  }
  if (error instanceof Error && error.message === 'Not connected') return { failed: 'lost' }
  if (!(error instanceof SdkError)) throw error
  if (error.code === SdkErrorCode.RequestTimeout) return { failed: 'timeout' }
  return { failed: error.code === SdkErrorCode.ConnectionClosed ? 'lost' : 'bad-answer' }
}
