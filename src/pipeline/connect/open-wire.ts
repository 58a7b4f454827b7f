/**
 * open-wire: which transport a launch takes.
 */
import type { LaunchSpec } from '../../model/launch.ts'
import { SessionError } from '../../model/session.ts'
import type { Wire, WireListener } from '../../model/wire.ts'
import type { World } from '../../world/world.ts'
import { openHttp } from './transports/http.ts'
import { openInProcess, type InProcessServer } from './transports/in-process.ts'
import { openSse } from './transports/sse.ts'
import { openStdio } from './transports/stdio.ts'
import { openWs } from './transports/ws.ts'

export type WireOpener = (listener: WireListener) => Wire

/** By the name under which the host registered them. */
export type InProcessServers = Readonly<Record<string, InProcessServer>>

export interface Reach {
  readonly world: World
  readonly inProcess: InProcessServers
  /** The older transport, for an address that turned out to speak it. */
  readonly kind?: 'sse' | undefined
}

export function findWireOpener({ transport }: LaunchSpec, reach: Reach): WireOpener {
  const { world, inProcess } = reach
  switch (transport.kind) {
    case 'stdio':
      return (listener) => openStdio(transport, world, listener)
    case 'http':
    case 'sse': {
      if (transport.kind === 'sse' || reach.kind === 'sse') {
        return (listener) => openSse({ ...transport, kind: 'sse' }, world, listener)
      }
      return (listener) => openHttp({ ...transport, kind: 'http' }, world, listener)
    }
    case 'ws':
      return (listener) => openWs(transport, world, listener)
    case 'in-process': {
      const server = Object.hasOwn(inProcess, transport.serverName)
        ? inProcess[transport.serverName]
        : undefined
      if (server === undefined) {
        const message = `no in-process server is registered as \`${transport.serverName}\``
        throw new SessionError({ kind: 'bad-answer', message })
      }
      return (listener) => openInProcess(server, listener)
    }
  }
}
