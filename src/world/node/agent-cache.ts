/**
 * agent-cache: undici's agents, made once for each route, so that requests share their connections.
 *
 * never  loads undici before the first request, or what proxies need before the first request through a tunnel
 */
import type { LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import type { Proxy, Route } from '../proxy.ts'
import type { HttpRequest } from '../world.ts'
import type { Agents } from './agents.ts'

export class AgentCache {
  readonly #made = new Map<string, Agents | Promise<Agents>>()

  /** A promise until undici is loaded. */
  find(route: Route, { origin, address }: HttpRequest): Agents | Promise<Agents> {
    if (route.kind === 'proxy' && isTunnelled(origin)) {
      const { via, authorization = '' } = route.proxy
      return this.#once(`tunnel ${via.proxy} ${authorization}`, () => createTunnelAgents(route.proxy))
    }
    if (route.kind === 'proxy' || address === undefined) return this.#once('direct', () => createAgents({}))
    return this.#once(address, () => createAgents({ lookup: lookupOf(address) }))
  }

  #once(key: string, create: () => Promise<Agents>): Agents | Promise<Agents> {
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const creating = create()
    this.#made.set(key, creating)
    void creating.then((agents) => this.#made.set(key, agents))
    return creating
  }
}

/** A proxy reads a request that is not encrypted, and such a request names its whole address. */
export function isTunnelled(origin: string): boolean {
  return origin.startsWith('https:')
}

async function createAgents(
  connect: buildConnector.BuildOptions | buildConnector.connector,
): Promise<Agents> {
  return (await import('./agents.ts')).createAgents(connect)
}

/** Connects to this address, whatever the name resolves to. */
function lookupOf(address: string): LookupFunction {
  const family = address.includes(':') ? 6 : 4
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}

async function createTunnelAgents(proxy: Proxy): Promise<Agents> {
  const { openTunnel } = await import('./tunnel.ts')
  return createAgents(({ hostname, port }, callback) => {
    const end = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443), isSecure: true }
    openTunnel(proxy, end, {
      onOpen: (socket) => callback(null, socket),
      onFailed: (error) => callback(error, null),
    })
  })
}
