/**
 * launching: an entry of some agent's file, loaded and admitted as in life, then resolved.
 */
import type { AdmittedServer } from '../../../src/model/catalog.ts'
import { reveal, type LaunchSpec, type LaunchValue } from '../../../src/model/launch.ts'
import { resolve, type ResolveContext } from '../../../src/pipeline/resolve/resolve.ts'
import { createValueCache } from '../../../src/pipeline/resolve/value-cache.ts'
import { loadCatalog } from '../../../src/runtime/load-catalog.ts'
import type { ShellOptions, ShellOutcome, World } from '../../../src/world/world.ts'
import { createMemoryWorld, type MemoryOptions, type MemoryWorld } from '../../worlds/memory.ts'

type Entry = Readonly<Record<string, unknown>>

/** Files in which values are literal, and ours, in which they may be commands or names of variables. */
const FILES = {
  ours: (entry: Entry) => ({
    '/home/ada/.config/plugboard/mcp.json': JSON.stringify({ mcpServers: { shop: entry } }, undefined, 2),
  }),
  cursor: (entry: Entry) => ({
    '/home/ada/.cursor/mcp.json': JSON.stringify({ mcpServers: { shop: entry } }, undefined, 2),
  }),
  opencode: (entry: Entry) => ({
    '/home/ada/.config/opencode/opencode.json': JSON.stringify({ mcp: { shop: entry } }, undefined, 2),
  }),
  vscode: (entry: Entry) => ({
    '/home/ada/.config/Code/User/mcp.json': JSON.stringify({ servers: { shop: entry } }, undefined, 2),
  }),
  crush: (entry: Entry) => ({
    '/home/ada/.config/crush/crush.json': JSON.stringify({ mcp: { shop: entry } }, undefined, 2),
  }),
}

export type Agent = keyof typeof FILES

/** A world in which one file of an agent declares the server `shop`. */
export function worldWith(agent: Agent, entry: Entry, options: MemoryOptions = {}): MemoryWorld {
  return createMemoryWorld({ ...options, files: { ...options.files, ...FILES[agent](entry) } })
}

export async function admittedIn(world: World): Promise<AdmittedServer> {
  const { catalog } = await loadCatalog(world, { trustFolder: true })
  const [server] = catalog.servers
  if (server === undefined)
    throw new Error(`nothing was admitted: ${JSON.stringify(catalog.entries.map(({ fate }) => fate))}`)
  return server
}

export async function launchIn(world: World, context: Partial<ResolveContext> = {}): Promise<LaunchSpec> {
  return resolve(await admittedIn(world), {
    world,
    project: { root: '/src/shop' },
    cache: createValueCache(),
    ...context,
  })
}

/** The same world with a shell that sees how it is called. */
export function withShell(
  world: World,
  run: (command: string, options: ShellOptions) => Partial<ShellOutcome> | Promise<Partial<ShellOutcome>>,
): World {
  return {
    ...world,
    shell: {
      run: async (command, options) => ({
        stdout: '',
        stderr: '',
        timedOut: false,
        ...(await run(command, options)),
      }),
    },
  }
}

/** Every value as it will be used. */
export function revealed(map: ReadonlyMap<string, LaunchValue>): Readonly<Record<string, string>> {
  return Object.fromEntries([...map].map(([name, value]) => [name, reveal(value)]))
}

export function headersOf({ transport }: LaunchSpec): Readonly<Record<string, string>> {
  if (!('headers' in transport)) throw new Error(`${transport.kind} has no headers`)
  return revealed(transport.headers)
}

export function envOf({ transport }: LaunchSpec): Readonly<Record<string, string>> {
  if (transport.kind !== 'stdio') throw new Error(`${transport.kind} has no environment`)
  return revealed(transport.env)
}

export function secretsOf({ secrets }: LaunchSpec): readonly string[] {
  return secrets.map((secret) => secret.reveal())
}

export function codesOf({ problems }: LaunchSpec): readonly string[] {
  return problems.map(({ code }) => code)
}
