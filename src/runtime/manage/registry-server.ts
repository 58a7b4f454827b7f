/**
 * registry-server: the answer of an MCP registry about a server → values of ours.
 *
 * in     JSON from the wire, in the shape of the official registry (`server.json`, camelCase; the older snake_case too)
 * out    a server with its packages and remotes; malformed parts are left out, and their neighbours stay
 * never  checks whether a value is safe: the module that makes a command of it does that
 */
import { isObject } from '../../base/is-object.ts'

export interface RegistryServer {
  /** `io.github.acme/weather`. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly version: string
  readonly repository?: string
  readonly website?: string
  readonly status: 'active' | 'deprecated' | 'deleted'
  readonly statusMessage?: string
  readonly packages: readonly RegistryPackage[]
  readonly remotes: readonly RegistryRemote[]
}

export interface RegistryPackage {
  /** `npm`, `pypi`, `oci`, `nuget`, `mcpb`, and future kinds. */
  readonly type: string
  readonly identifier: string
  readonly version?: string
  readonly baseUrl?: string
  readonly runtimeHint?: string
  readonly transport: string
  readonly runtimeArguments: readonly RegistryArgument[]
  readonly packageArguments: readonly RegistryArgument[]
  readonly variables: readonly NamedInput[]
}

export interface RegistryRemote {
  readonly type: string
  readonly url: string
  readonly headers: readonly NamedInput[]
  /** The values for `{braces}` in the address. */
  readonly variables: ReadonlyMap<string, Input>
}

/** A value that the user fills in, or a fixed one. */
export interface Input {
  readonly description?: string
  readonly isRequired: boolean
  readonly isSecret: boolean
  /** A fixed value. It may contain `{variables}`. */
  readonly value?: string
  readonly default?: string
  readonly example?: string
  readonly choices: readonly string[]
  readonly variables: ReadonlyMap<string, Input>
}

export interface NamedInput extends Input {
  readonly name: string
}

export interface RegistryArgument extends Input {
  /** With its dashes. Undefined for a positional argument. */
  readonly flag?: string
  /** The name of the argument in questions. */
  readonly label?: string
}

export interface RegistryPage {
  readonly servers: readonly RegistryServer[]
  readonly nextCursor?: string
}

/** Undefined: this is not the answer of a registry. */
export function toRegistryPage(answer: unknown): RegistryPage | undefined {
  if (!isObject(answer) || !Array.isArray(answer['servers'])) return undefined
  const metadata = isObject(answer['metadata']) ? answer['metadata'] : {}
  const nextCursor = textOf(metadata, 'nextCursor', 'next_cursor')
  return {
    servers: answer['servers'].map(toRegistryServer).filter((one) => one !== undefined),
    ...(nextCursor === undefined || nextCursor === '' ? {} : { nextCursor }),
  }
}

export function toRegistryServer(answer: unknown): RegistryServer | undefined {
  if (!isObject(answer)) return undefined
  const server = isObject(answer['server']) ? answer['server'] : answer
  const name = textOf(server, 'name')
  if (name === undefined || name === '') return undefined
  const official = findOfficial(answer)
  const status = textOf(official, 'status') ?? textOf(server, 'status')
  return {
    name,
    description: textOf(server, 'description') ?? '',
    version: textOf(server, 'version') ?? textOf(objectIn(server, 'version_detail'), 'version') ?? '',
    status: status === 'deprecated' || status === 'deleted' ? status : 'active',
    ...optional('title', textOf(server, 'title')),
    ...optional('repository', textOf(objectIn(server, 'repository'), 'url')),
    ...optional('website', textOf(server, 'websiteUrl', 'website_url')),
    ...optional('statusMessage', textOf(official, 'statusMessage')),
    packages: listIn(server, 'packages')
      .map(toPackage)
      .filter((one) => one !== undefined),
    remotes: listIn(server, 'remotes')
      .map(toRemote)
      .filter((one) => one !== undefined),
  }
}

type Json = Readonly<Record<string, unknown>>

function findOfficial(answer: Json): Json {
  return objectIn(objectIn(answer, '_meta'), 'io.modelcontextprotocol.registry/official')
}

function toPackage(value: unknown): RegistryPackage | undefined {
  if (!isObject(value)) return undefined
  const type = textOf(value, 'registryType', 'registry_type')
  const identifier = textOf(value, 'identifier')
  if (type === undefined || identifier === undefined) return undefined
  return {
    type,
    identifier,
    transport: textOf(objectIn(value, 'transport'), 'type') ?? 'stdio',
    ...optional('version', textOf(value, 'version')),
    ...optional('baseUrl', textOf(value, 'registryBaseUrl', 'registry_base_url')),
    ...optional('runtimeHint', textOf(value, 'runtimeHint', 'runtime_hint')),
    runtimeArguments: listIn(value, 'runtimeArguments', 'runtime_arguments').map(toArgument),
    packageArguments: listIn(value, 'packageArguments', 'package_arguments').map(toArgument),
    variables: toNamed(listIn(value, 'environmentVariables', 'environment_variables')),
  }
}

function toRemote(value: unknown): RegistryRemote | undefined {
  if (!isObject(value)) return undefined
  const type = textOf(value, 'type', 'transport_type')
  const url = textOf(value, 'url')
  if (type === undefined || url === undefined) return undefined
  return { type, url, headers: toNamed(listIn(value, 'headers')), variables: toVariables(value) }
}

function toArgument(value: unknown): RegistryArgument {
  const given = isObject(value) ? value : {}
  const isNamed = textOf(given, 'type') === 'named'
  const flag = isNamed ? textOf(given, 'name') : undefined
  return {
    ...toInput(given),
    ...optional('flag', flag),
    ...optional('label', textOf(given, 'valueHint', 'value_hint') ?? flag),
  }
}

function toNamed(list: readonly unknown[]): readonly NamedInput[] {
  return list.flatMap((value) => {
    const name = isObject(value) ? textOf(value, 'name') : undefined
    return name === undefined ? [] : [{ ...toInput(value as Json), name }]
  })
}

function toInput(given: Json, variables = toVariables(given)): Input {
  return {
    isRequired: given['isRequired'] === true || given['is_required'] === true,
    isSecret: given['isSecret'] === true || given['is_secret'] === true,
    ...optional('description', textOf(given, 'description')),
    ...optional('value', textOf(given, 'value')),
    ...optional('default', textOf(given, 'default')),
    ...optional('example', textOf(given, 'placeholder')),
    choices: listIn(given, 'choices').filter((one) => typeof one === 'string'),
    variables,
  }
}

/** A variable has no variables of its own, however deep the answer of a registry is nested. */
const NONE: ReadonlyMap<string, Input> = new Map()

function toVariables(given: Json): ReadonlyMap<string, Input> {
  const named = Object.entries(objectIn(given, 'variables'))
  return new Map(named.map(([name, value]) => [name, toInput(isObject(value) ? value : {}, NONE)]))
}

function textOf(from: Json, ...keys: readonly string[]): string | undefined {
  const value = keys.map((key) => from[key]).find((one) => one !== undefined)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? value : undefined
}

function listIn(from: Json, ...keys: readonly string[]): readonly unknown[] {
  const value = keys.map((key) => from[key]).find((one) => one !== undefined)
  return Array.isArray(value) ? value : []
}

function objectIn(from: Json, key: string): Json {
  const value = from[key]
  return isObject(value) ? value : {}
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string }
}
