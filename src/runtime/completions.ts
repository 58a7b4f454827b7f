/**
 * completions: what is known of servers and their tools, for the command line that the user is typing.
 *
 * in     the files, and what servers offered at the last connection
 * out    names; nothing for servers that were never connected
 * never  starts, asks or fetches anything: the user is waiting for the next key
 */
import { isObject } from '../base/is-object.ts'
import type { Listed, ListedTool, Offering } from '../model/offering.ts'
import { applyFilters } from '../pipeline/list/filter.ts'
import { nameOf } from '../pipeline/name/name.ts'
import { fingerprintOf } from '../pipeline/resolve/fingerprint.ts'
import type { World } from '../world/world.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { readTokens } from './named-tokens.ts'
import { createOfferingStore } from './offering-store.ts'

/** A word, with a description. */
export interface Suggestion {
  readonly word: string
  readonly about: string
}

export interface Completions {
  servers(): readonly Suggestion[]
  tools(server: string): readonly Suggestion[]
  prompts(server: string): readonly Suggestion[]
  /** As permission rules name them: `mcp__server__tool`. */
  toolNames(): readonly Suggestion[]
  /** The arguments of a tool. */
  toolArguments(server: string, tool: string): readonly ArgumentSuggestion[]
  promptArguments(server: string, prompt: string): readonly ArgumentSuggestion[]
  /** Names of the gateway's tokens. */
  tokens(): readonly Suggestion[]
}

export interface ArgumentSuggestion extends Suggestion {
  /** All possible values, when they are few. */
  readonly values: readonly string[]
}

export function createCompletions(world: World, { catalog, dirs }: LoadedCatalog): Completions {
  const store = createOfferingStore(world, dirs)
  const read = (name: string): Offering | undefined => {
    const server = catalog.servers.find((one) => one.name === name)
    if (server === undefined) return undefined
    const fingerprint = fingerprintOf(server)
    const [newest] = [...store.readIndex()]
      .filter(([, one]) => one.name === name && one.fingerprint === fingerprint && one.listed !== undefined)
      .sort(([, a], [, b]) => b.listed!.at - a.listed!.at)
    const stored = newest === undefined ? undefined : store.readOffering(newest[0])
    return stored === undefined ? undefined : applyFilters(stored.offering, server)
  }
  const tools = (server: string): readonly ListedTool[] => read(server)?.tools ?? []
  const prompts = (server: string): readonly Listed[] => read(server)?.prompts ?? []
  return {
    tokens: () =>
      readTokens(world, dirs).value.map(({ name, project }) => ({
        word: name,
        about: project ?? 'everywhere',
      })),
    servers: () => {
      const here = catalog.entries.filter(({ fate }) => fate.kind !== 'excluded')
      const names = [...new Set(here.map(({ entry }) => entry.found.name))]
      const running = new Map(catalog.servers.map((server) => [server.name, server.transport.type]))
      return names.map((name) => ({ word: name, about: running.get(name) ?? 'does not run' }))
    },
    tools: (server) => tools(server).map(toSuggestion),
    prompts: (server) => prompts(server).map(toSuggestion),
    toolNames: () =>
      catalog.servers.flatMap(({ name }) => [
        { word: `mcp__${name}`, about: 'the whole server' },
        ...tools(name).map((tool) => ({ ...toSuggestion(tool), word: nameOf(name, tool.name, 'double') })),
      ]),
    toolArguments: (server, name) => {
      const tool = tools(server).find((one) => one.name === name)
      return tool === undefined ? [] : argumentsOf(tool.inputSchema)
    },
    promptArguments: (server, name) => {
      const given = prompts(server).find((one) => one.name === name)?.['arguments']
      const list = Array.isArray(given) ? given.filter(isObject) : []
      return list.flatMap((one) =>
        typeof one['name'] === 'string'
          ? [{ word: one['name'], about: textOf(one['description']), values: [] }]
          : [],
      )
    },
  }
}

function toSuggestion({ name, description, title }: Listed): Suggestion {
  return { word: name, about: textOf(description ?? title) }
}

/** Required arguments come first. */
function argumentsOf(schema: Readonly<Record<string, unknown>>): readonly ArgumentSuggestion[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const all = Object.entries(properties).map(([word, given]): ArgumentSuggestion => {
    const property = isObject(given) ? given : {}
    const about = textOf(property['description'] ?? property['type'])
    return { word, about: required.has(word) ? `required: ${about}` : about, values: valuesOf(property) }
  })
  return [...all.filter(({ word }) => required.has(word)), ...all.filter(({ word }) => !required.has(word))]
}

function valuesOf(property: Readonly<Record<string, unknown>>): readonly string[] {
  if (property['type'] === 'boolean') return ['true', 'false']
  const choices = property['enum']
  return Array.isArray(choices) ? choices.filter((one) => typeof one === 'string') : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
