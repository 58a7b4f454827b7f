/**
 * check: turns a draft whose fields are read into a definition, or reports what is wrong with it.
 *
 * The rules are the same for every dialect: the needs of a server do not depend on the agent that wrote the file.
 */
import { findNearest } from '../../base/edit-distance.ts'
import type { HttpTransport, ServerDefinition, Transport } from '../../model/definition.ts'
import { findMember } from '../../model/document.ts'
import type { Reading } from '../../model/entry.ts'
import { tryUrl } from '../../model/signature.ts'
import { isLiteral, showTemplate, type Template } from '../../model/template.ts'
import type { Draft, FieldName } from './draft.ts'
import { invalidConfig, notUsed, unusualName, windowsNpx } from './problems.ts'

export function toReading(draft: Draft): Reading {
  const type = findType(draft)
  const transport = type === undefined ? undefined : toTransport(draft, type)
  draft.dialect.check?.(draft)
  checkName(draft)
  if (transport === undefined || draft.problems.length > 0) {
    return { kind: 'invalid', problems: draft.problems, ...defined({ type: type ?? guessType(draft) }) }
  }
  reportUnusedFields(draft, transport)
  warnOfWindowsNpx(draft, transport)
  const off = toOff(draft)
  return {
    kind: 'definition',
    definition: toDefinition(draft, transport),
    ...(off === undefined ? {} : { off }),
  }
}

/** The probable type of an entry that cannot be understood. */
function guessType({ fields, found, dialect }: Draft): string | undefined {
  if (fields.type !== undefined) return fields.type
  if (findMember(found.node, 'command') !== undefined) return 'stdio'
  return findMember(found.node, 'url') === undefined ? undefined : dialect.typeOfUrl
}

const TYPES: Readonly<Record<string, Transport['type']>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  streamable_http: 'http',
  remote: 'http',
  sse: 'sse',
  ws: 'ws',
  'sse-ide': 'sse-ide',
  'ws-ide': 'ws-ide',
  sdk: 'sdk',
  'claudeai-proxy': 'claudeai-proxy',
}

function findType(draft: Draft): Transport['type'] | undefined {
  const { fields, dialect, found } = draft
  if (fields.command !== undefined && fields.url !== undefined) {
    const [command, url] = [spell(draft, 'command'), spell(draft, 'url')]
    const message = `server \`${found.name}\` has both \`${command}\` and \`${url}\`; a server is either started or reached`
    draft.problems.push(invalidConfig(found, message, draft.nodes['url'], ['remove one of the two']))
    return undefined
  }
  if (fields.type !== undefined) return toKnownType(draft, fields.type)
  if (draft.nodes['type'] !== undefined) return undefined
  if (fields.command !== undefined) return 'stdio'
  if (fields.url !== undefined) return dialect.typeOfUrl
  // A field of the wrong type already has its own problem.
  if (draft.problems.length === 0) {
    const [command, url] = [spell(draft, 'command'), spell(draft, 'url')]
    const message = `server \`${found.name}\` has neither \`${command}\` nor \`${url}\``
    const hint = `give \`${command}\` for a server to start, or \`type\` and \`${url}\` for one to reach`
    draft.problems.push(invalidConfig(found, message, undefined, [hint]))
  }
  return undefined
}

function toKnownType(draft: Draft, spelled: string): Transport['type'] | undefined {
  const own = draft.dialect.types ?? {}
  if (Object.hasOwn(own, spelled)) return own[spelled]
  if (Object.hasOwn(TYPES, spelled)) return TYPES[spelled]
  const nearest = findNearest(spelled, Object.keys({ ...TYPES, ...own }))
  const hint =
    nearest === undefined ? `use one of: ${Object.keys(TYPES).join(', ')}` : `did you mean \`${nearest}\`?`
  draft.problems.push(
    invalidConfig(draft.found, `unknown \`type\`: \`${spelled}\``, draft.nodes['type'], [hint]),
  )
  return undefined
}

function toTransport(draft: Draft, type: Transport['type']): Transport | undefined {
  const { fields } = draft
  switch (type) {
    case 'stdio': {
      const command = need(draft, type, 'command')
      if (command === undefined) return undefined
      const { args = [], env = new Map(), envFile, cwd } = fields
      const transport = { type, command, args, env } as const
      return envFile === undefined && cwd === undefined
        ? transport
        : { ...transport, ...defined({ envFile, cwd }) }
    }
    case 'http':
    case 'sse': {
      const url = needUrl(draft, type, ['http:', 'https:'])
      if (url === undefined) return undefined
      const { headers = new Map(), headersHelper, oauth } = fields
      const fallback: HttpTransport['fallback'] = type === 'http' && mayFallBack(draft) ? 'sse' : 'none'
      return { type, url, headers, fallback, ...defined({ headersHelper, oauth }) }
    }
    case 'ws': {
      const url = needUrl(draft, type, ['ws:', 'wss:', 'http:', 'https:'])
      if (url === undefined) return undefined
      return {
        type,
        url,
        headers: fields.headers ?? new Map(),
        ...defined({ headersHelper: fields.headersHelper }),
      }
    }
    case 'sse-ide':
    case 'ws-ide': {
      const url = needUrl(draft, type, ['ws:', 'wss:', 'http:', 'https:'])
      const ideName = need(draft, type, 'ideName')
      if (url === undefined || ideName === undefined) return undefined
      const { authToken, ideRunningInWindows } = fields
      return { type, url, ideName, ...defined({ authToken, ideRunningInWindows }) }
    }
    case 'sdk': {
      const sdkName = need(draft, type, 'sdkName')
      return sdkName === undefined ? undefined : { type, sdkName }
    }
    case 'claudeai-proxy': {
      const url = needUrl(draft, type, ['http:', 'https:'])
      const id = need(draft, type, 'id')
      return url === undefined || id === undefined ? undefined : { type, url, id }
    }
  }
}

function mayFallBack({ fields, dialect }: Draft): boolean {
  return fields.type === undefined || dialect.fallbackTypes?.includes(fields.type) === true
}

function need<K extends 'command' | 'url' | 'ideName' | 'sdkName' | 'id'>(
  draft: Draft,
  type: string,
  name: K,
): Draft['fields'][K] | undefined {
  const value = draft.fields[name]
  if (value !== undefined && value.length > 0) return value
  // A field of the wrong type already has its own problem.
  if (value !== undefined || draft.problems.length === 0) {
    const spelled = spell(draft, name)
    const message =
      value === undefined
        ? `a server of type \`${type}\` needs \`${spelled}\``
        : `\`${spelled}\` must not be empty`
    draft.problems.push(invalidConfig(draft.found, message, draft.nodes[name] ?? draft.nodes['type']))
  }
  return undefined
}

/** The spelling of one of our fields in this file. */
function spell({ nodes, dialect }: Draft, name: FieldName): string {
  return nodes[name]?.path ?? dialect.spellings?.[name] ?? (name === 'sdkName' ? 'name' : name)
}

function needUrl(draft: Draft, type: string, protocols: readonly string[]): Template | undefined {
  const url = need(draft, type, 'url')
  if (url === undefined || !isLiteral(url)) return url
  const field = draft.nodes['url']!
  const parsed = tryUrl(showTemplate(url))
  if (parsed === undefined)
    draft.problems.push(invalidConfig(draft.found, `\`${field.path}\` is not a URL`, field))
  else if (!protocols.includes(parsed.protocol)) {
    const allowed = protocols.map((protocol) => `\`${protocol}//\``).join(' or ')
    draft.problems.push(
      invalidConfig(draft.found, `\`${field.path}\` must begin with ${allowed} for type \`${type}\``, field),
    )
  }
  return url
}

function checkName(draft: Draft): void {
  const { name } = draft.found
  if (name.trim() === '') draft.problems.push(invalidConfig(draft.found, 'a server needs a name'))
  else if (!/^[A-Za-z0-9_.-]{1,100}$/.test(name)) draft.warnings.push(unusualName(draft.found))
}

/** Fields that apply to some kinds of transport only. */
const USED_BY: Partial<Record<FieldName, readonly Transport['type'][]>> = {
  args: ['stdio'],
  env: ['stdio'],
  envFile: ['stdio'],
  cwd: ['stdio'],
  inheritEnv: ['stdio'],
  headers: ['http', 'sse', 'ws'],
  headersHelper: ['http', 'sse', 'ws'],
  oauth: ['http', 'sse'],
  ideName: ['sse-ide', 'ws-ide'],
  authToken: ['sse-ide', 'ws-ide'],
  ideRunningInWindows: ['sse-ide', 'ws-ide'],
  command: ['stdio'],
  url: ['http', 'sse', 'ws', 'sse-ide', 'ws-ide', 'claudeai-proxy'],
  sdkName: ['sdk'],
  id: ['claudeai-proxy'],
}

function reportUnusedFields(draft: Draft, transport: Transport): void {
  for (const name in draft.nodes) {
    const users = USED_BY[name as FieldName]
    if (users === undefined || users.includes(transport.type)) continue
    if (isEmpty(draft.fields[name as FieldName])) continue
    const field = draft.nodes[name as FieldName]!
    draft.warnings.push(
      notUsed(draft.found, field, `a server of type \`${transport.type}\` has no use for it`),
    )
  }
}

/** Editors write `"env": {}` and `"args": []` into many entries. */
function isEmpty(value: unknown): boolean {
  return value instanceof Map ? value.size === 0 : Array.isArray(value) && value.length === 0
}

function warnOfWindowsNpx(draft: Draft, transport: Transport): void {
  if (draft.platform !== 'win32' || transport.type !== 'stdio') return
  const command = showTemplate(transport.command)
  if (/^(?:npx|npm|pnpm|pnpx|yarn|bunx)$/i.test(command)) {
    draft.warnings.push(windowsNpx(draft.found, draft.nodes['command']!, command))
  }
}

/**
 * The entry's own `enabled: false` counts, unless a list elsewhere turns the server on. A list that turns it off always
 * counts.
 */
function toOff(draft: Draft): Draft['off'] {
  const toggled = draft.found.switch
  if (toggled?.to === 'off') return toggled
  return toggled?.to === 'on' ? undefined : draft.off
}

function toDefinition(draft: Draft, transport: Transport): ServerDefinition {
  const { name } = draft.found
  const definition: Record<string, unknown> = { name, transport, values: draft.dialect.values }
  for (const field in draft.fields)
    if (SHARED_FIELDS.has(field as FieldName)) definition[field] = draft.fields[field as FieldName]
  return definition as unknown as ServerDefinition
}

/** The fields that every kind of server may have. A draft has them under the names and types of the definition. */
const SHARED_FIELDS: ReadonlySet<FieldName> = new Set<FieldName & keyof ServerDefinition>([
  'timeoutMs',
  'maxDurationMs',
  'startupTimeoutMs',
  'required',
  'auth',
  'includeTools',
  'excludeTools',
  'description',
  'protocol',
  'inheritEnv',
  'supportsParallelCalls',
  'isolation',
  'values',
])

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The object without its undefined fields. */
function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {}
  for (const key in fields)
    if (fields[key] !== undefined) kept[key] = fields[key] as Exclude<T[typeof key], undefined>
  return kept
}
