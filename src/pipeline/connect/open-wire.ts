/**
 * open-wire: opens the wire for the transport of a launch. It loads all transports but the most common on first use.
 */
import type { LaunchSpec } from '../../model/launch.ts'
import { SessionError } from '../../model/session.ts'
import type { Wire, WireListener } from '../../model/wire.ts'
import type { World } from '../../world/world.ts'
import type { InProcessServer } from './transports/in-process.ts'
import { openStdio } from './transports/stdio.ts'

export type WireOpener = (listener: WireListener) => Wire

/** The host registers each server under one name. */
export type InProcessServers = Readonly<Record<string, InProcessServer>>

export interface Reach {
  readonly world: World
  readonly inProcess: InProcessServers
  /** The older transport, for an address that proved to speak it. */
  readonly kind?: 'sse' | undefined
}

export async function findWireOpener({ transport }: LaunchSpec, reach: Reach): Promise<WireOpener> {
  const { world, inProcess } = reach
  switch (transport.kind) {
    case 'stdio':
      return (listener) => openStdio(transport, world, listener)
    case 'http':
    case 'sse': {
      if (transport.kind === 'sse' || reach.kind === 'sse') {
        const { openSse } = await import('./transports/sse.ts')
        return (listener) => openSse({ ...transport, kind: 'sse' }, world, listener)
      }
      const { openHttp } = await import('./transports/http.ts')
      return (listener) => openHttp({ ...transport, kind: 'http' }, world, listener)
    }
    case 'ws': {
      const { openWs } = await import('./transports/ws.ts')
      return (listener) => openWs(transport, world, listener)
    }
    case 'in-process': {
      const server = Object.hasOwn(inProcess, transport.serverName)
        ? inProcess[transport.serverName]
        : undefined
      if (server === undefined) {
        const message = `no in-process server is registered as \`${transport.serverName}\``
        throw new SessionError({ kind: 'bad-answer', message })
      }
      const { openInProcess } = await import('./transports/in-process.ts')
      return (listener) => openInProcess(server, listener)
    }
  }
}
