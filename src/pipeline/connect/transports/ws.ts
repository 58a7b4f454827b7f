/**
 * ws: a WebSocket, with one JSON message in each frame.
 *
 * out    messages; other frames are noise
 * never  opens a second socket: the caller opens another wire instead
 */
import { reveal, type LaunchTransport } from '../../../model/launch.ts'
import type { Wire, WireFailure, WireListener } from '../../../model/wire.ts'
import type { SocketEnd, World } from '../../../world/world.ts'
import { deliver } from './deliver.ts'
import { whyNotSent } from './unread.ts'

type WsLaunch = Extract<LaunchTransport, { kind: 'ws' }>

export function openWs(launch: WsLaunch, world: Pick<World, 'sockets'>, listener: WireListener): Wire {
  let state: 'opening' | 'open' | 'closing' | 'over' = 'opening'
  let unsent: string[] = []
  let gone: (() => void) | undefined
  const whenGone = new Promise<void>((resolve) => (gone = resolve))

  const url = reveal(launch.url)
  const socket = world.sockets.open(
    {
      url,
      headers: Object.fromEntries([...launch.headers].map(([name, value]) => [name, reveal(value)])),
      protocols: launch.protocols,
    },
    {
      onOpen() {
        if (state !== 'opening') return
        state = 'open'
        listener.onFirstSign?.()
        for (const text of unsent) socket.send(text)
        unsent = []
      },
      onText(text) {
        if (state === 'open') deliver(text, listener)
      },
      onClose(end) {
        // A refusal is also a sign of life.
        if (state === 'opening' && end.kind === 'refused') listener.onFirstSign?.()
        const failure: WireFailure = state === 'closing' ? { kind: 'closed' } : toFailure(end, hostOf(url))
        state = 'over'
        gone!()
        listener.onEnd(failure)
      },
    },
  )
  return {
    kind: 'ws',
    send(message, options) {
      const waiting = unsent.reduce((sum, text) => sum + text.length, socket.unread)
      const failure = state === 'open' || state === 'opening' ? whyNotSent(waiting) : CLOSED
      if (failure !== undefined) queueMicrotask(() => options?.onFailure?.(failure))
      else if (state === 'open') socket.send(JSON.stringify(message))
      else unsent.push(JSON.stringify(message))
    },
    close() {
      if (state !== 'over') {
        state = 'closing'
        socket.close()
      }
      return whenGone
    },
  }
}

const CLOSED: WireFailure = { kind: 'closed' }

/** Close codes of a normal end: done, going away, none given. */
const GOODBYES: ReadonlySet<number> = new Set([1000, 1001, 1005])

/** The connection ended without a close frame. */
const BROKEN = 1006

function toFailure(end: SocketEnd, host: { readonly host?: string }): WireFailure {
  switch (end.kind) {
    case 'refused': {
      const { status, body, challenge, via } = end
      return {
        kind: 'http',
        status,
        body,
        ...(challenge === undefined ? {} : { challenge }),
        ...(via === undefined ? {} : { via }),
      }
    }
    case 'failed': {
      const { code, message, via } = end
      return { kind: 'network', code, message, ...host, ...(via === undefined ? {} : { via }) }
    }
    case 'misspoke':
      return { kind: 'protocol', message: end.message }
    case 'closed':
      if (GOODBYES.has(end.code)) return { kind: 'closed' }
      if (end.code === BROKEN)
        return { kind: 'network', code: 'ECONNRESET', message: 'the connection broke off', ...host }
      return { kind: 'protocol', message: `it closed the connection with code ${end.code}` }
  }
}

function hostOf(url: string): { readonly host?: string } {
  try {
    return { host: new URL(url).host }
  } catch {
    return {} // the caller reports that this is no address
  }
}
