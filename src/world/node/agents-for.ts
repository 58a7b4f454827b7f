/**
 * agents-for: whose connections a request goes over: our own, or undici's where they are encrypted.
 *
 * in     which way it takes, and where it goes
 * out    the same agents for all that can share connections; a promise until they are loaded
 * never  loads any of them before it is needed, or undici for what is not encrypted
 */
import type { LookupFunction } from 'node:net'
import type { Proxy, Route } from '../proxy.ts'
import type { HttpRequest } from '../world.ts'
import type { createAgents } from './agents.ts'
import type { PlainOptions } from './plain-http.ts'
import type { Agents } from './sender.ts'

export function agentsFor(route: Route, { origin, address }: HttpRequest): Agents | Promise<Agents> {
  if (route.kind === 'proxy') {
    const { via, authorization = '' } = route.proxy
    if (isTunnelled(origin))
      return once(`tunnel ${via.proxy} ${authorization}`, () => loadTunnelAgents(route.proxy))
    return directAgents(via.proxy, undefined)
  }
  return directAgents(origin, route.kind === 'direct' ? address : undefined)
}

/** A proxy reads what is not encrypted, and is asked for it by its whole address. */
export function isTunnelled(origin: string): boolean {
  return origin.startsWith('https:')
}

function directAgents(origin: string, address: string | undefined): Agents | Promise<Agents> {
  const how = address === undefined ? {} : { lookup: lookupOf(address) }
  const where = address === undefined ? '' : ` ${address}`
  return origin.startsWith('https:')
    ? once(`secure${where}`, () => loadAgents(how))
    : once(`plain${where}`, () => loadPlainAgents(how))
}

const made = new Map<string, Agents | Promise<Agents>>()

function once(key: string, load: () => Promise<Agents>): Agents | Promise<Agents> {
  const known = made.get(key)
  if (known !== undefined) return known
  const loading = load()
  made.set(key, loading)
  void loading.then((loaded) => made.set(key, loaded))
  return loading
}

/** Connects there, whatever the name says. */
function lookupOf(address: string): LookupFunction {
  const family = address.includes(':') ? 6 : 4
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}

async function loadTunnelAgents(proxy: Proxy): Promise<Agents> {
  const { openTunnel } = await import('./tunnel.ts')
  return loadAgents(({ hostname, port }, callback) => {
    const end = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443), isSecure: true }
    openTunnel(proxy, end, {
      onOpen: (socket) => callback(null, socket),
      onFailed: (error) => callback(error, null),
    })
  })
}

async function loadPlainAgents(how: PlainOptions): Promise<Agents> {
  const loaded = await import('./plain-http.ts')
  return loaded.createPlainAgents(how)
}

async function loadAgents(how: Parameters<typeof createAgents>[0]): Promise<Agents> {
  const loaded = await import('./agents.ts')
  return loaded.createAgents(how)
}
