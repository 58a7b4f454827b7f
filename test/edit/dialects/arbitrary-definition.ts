/**
 * arbitrary-definition: any server that some file could declare, for property tests.
 */
import * as fc from 'fast-check'
import {
  GRANT_TYPES,
  type OAuth,
  type ServerDefinition,
  type TemplateMap,
  type Transport,
} from '../../../src/model/definition.ts'
import type { Part, Template } from '../../../src/model/template.ts'

/** Characters that mean something in one dialect or other are among them. */
export type Texts = 'plain' | 'any'

export interface AnyServer {
  readonly definition: ServerDefinition
  readonly power: 'on' | 'off'
}

export function anyServer(texts: Texts): fc.Arbitrary<AnyServer> {
  return fc.record({
    definition: anyDefinition(texts),
    power: fc.constantFrom('on' as const, 'off' as const),
  })
}

const NAME = fc.stringMatching(/^[A-Z][A-Z_]{2,8}$/)
const WORD = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)

function anyText(texts: Texts): fc.Arbitrary<string> {
  const plain = fc.stringMatching(/^[a-z][a-z0-9 :/._@-]{0,11}$/)
  if (texts === 'plain') return plain
  return fc.oneof(plain, fc.stringMatching(/^[!~$%{}()a-zA-Z:é\\"' _-]{1,12}$/), NAME)
}

function anyTemplate(texts: Texts): fc.Arbitrary<Template> {
  const part: fc.Arbitrary<Part> = fc.oneof(
    { weight: 4, arbitrary: anyText(texts) },
    { weight: 3, arbitrary: NAME.map((name) => ({ kind: 'env' as const, name })) },
    fc.record({
      kind: fc.constant('env' as const),
      name: NAME,
      fallback: fc.stringMatching(/^[a-z0-9/]{0,6}$/),
    }),
    WORD.map((path) => ({ kind: 'file' as const, path: `/run/${path}` })),
    WORD.map((id) => ({ kind: 'input' as const, id })),
    { weight: 1, arbitrary: WORD.map((text) => ({ kind: 'command' as const, text })) },
  )
  return fc.array(part, { minLength: 1, maxLength: 3 }).map(joinLiterals)
}

/** As a reader gives it: no two texts side by side. */
function joinLiterals(parts: readonly Part[]): Template {
  return parts.reduce<Part[]>((joined, part) => {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else joined.push(part)
    return joined
  }, [])
}

function anyMap(texts: Texts): fc.Arbitrary<TemplateMap> {
  const key = fc.oneof(NAME, fc.constantFrom('Authorization', 'X-Key', '__proto__', 'constructor'))
  const sole = NAME.map((name): Template => [{ kind: 'env', name }])
  const value = fc.oneof(
    anyTemplate(texts),
    sole,
    NAME.map((name): Template => ['Bearer ', { kind: 'env', name }]),
  )
  const pairs = fc.array(fc.tuple(key, value), { maxLength: 4 })
  // A variable that is passed on under its own name.
  const passed = NAME.map((name): [string, Template] => [name, [{ kind: 'env', name }]])
  return fc.tuple(pairs, fc.array(passed, { maxLength: 2 })).map(([a, b]) => new Map([...a, ...b]))
}

const PORT = fc.integer({ min: 1, max: 65_535 })
const URL_TEXT = fc.webUrl({ validSchemes: ['https'] }).filter((url) => !/[${}%]/.test(url))

function anyOAuth(texts: Texts): fc.Arbitrary<OAuth> {
  const settings = fc.record(
    {
      clientId: anyTemplate(texts),
      clientSecret: anyTemplate(texts),
      scopes: fc.array(WORD, { minLength: 1, maxLength: 3 }),
      callbackPort: PORT,
      callbackPath: WORD.map((word) => `/${word}`),
      redirectUri: URL_TEXT,
      authServerMetadataUrl: URL_TEXT,
      authorizationUrl: URL_TEXT,
      tokenUrl: URL_TEXT,
      resource: URL_TEXT,
      grantType: fc.constantFrom(...GRANT_TYPES),
      privateKeyFile: anyTemplate(texts),
      assertion: anyTemplate(texts),
      issuer: URL_TEXT,
      dangerouslyAllowHttp: fc.boolean(),
      prompt: WORD,
    },
    { requiredKeys: [] },
  )
  const hasSome = settings.filter((one) => Object.keys(one).length > 0)
  return fc.oneof({ weight: 5, arbitrary: hasSome }, fc.constant({ isOff: true }))
}

function anyTransport(texts: Texts): fc.Arbitrary<Transport> {
  const template = anyTemplate(texts)
  const url = fc.oneof(
    URL_TEXT.map((text): Template => [text]),
    NAME.map((name): Template => ['https://', { kind: 'env', name }, '/mcp']),
  )
  const headers = anyMap(texts)
  const stdio = fc.record(
    {
      type: fc.constant('stdio' as const),
      command: template,
      args: fc.array(template, { maxLength: 4 }),
      env: anyMap(texts),
      envFile: template,
      cwd: template,
    },
    { requiredKeys: ['type', 'command', 'args', 'env'] },
  )
  const http = fc
    .record(
      {
        type: fc.constantFrom('http' as const, 'sse' as const),
        url,
        headers,
        headersHelper: template,
        oauth: anyOAuth(texts),
        fallback: fc.constantFrom('sse' as const, 'none' as const),
      },
      { requiredKeys: ['type', 'url', 'headers', 'fallback'] },
    )
    .map((one) => (one.type === 'sse' ? { ...one, fallback: 'none' as const } : one))
  const ws = fc.record({ type: fc.constant('ws' as const), url, headers })
  return fc.oneof(
    { weight: 4, arbitrary: stdio },
    { weight: 4, arbitrary: http },
    ws,
  ) as fc.Arbitrary<Transport>
}

function anyDefinition(texts: Texts): fc.Arbitrary<ServerDefinition> {
  const ms = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 600_000 }))
  return fc.record(
    {
      name: WORD,
      transport: anyTransport(texts),
      values: fc.constantFrom('resolvable' as const, 'literal' as const),
      timeoutMs: ms,
      startupTimeoutMs: ms,
      required: fc.boolean(),
      auth: fc.record(
        {
          type: fc.constantFrom('oauth' as const, 'apikey' as const),
          credentialId: WORD,
          tokenUrl: URL_TEXT,
          clientId: anyTemplate(texts),
          clientSecret: anyTemplate(texts),
          resource: URL_TEXT,
        },
        { requiredKeys: ['type'] },
      ),
      includeTools: fc.array(WORD, { maxLength: 3 }),
      excludeTools: fc.array(WORD, { maxLength: 3 }),
      description: fc.string(),
      protocol: fc.constantFrom('auto' as const, 'legacy' as const, '2026-07-28' as const),
      inheritEnv: fc.boolean(),
      supportsParallelCalls: fc.boolean(),
      isolation: fc.constantFrom('shared' as const, 'session' as const, 'agent' as const),
    },
    { requiredKeys: ['name', 'transport', 'values'] },
  ) as fc.Arbitrary<ServerDefinition>
}
