/**
 * internet: a world in which names of the internet are played by servers of this machine. No socket leaves it.
 */
import type { HttpRequest, World } from '../../src/world/world.ts'

export interface Internet {
  readonly change: (world: World) => World
  /** All that was sent, as it was meant. */
  readonly sent: readonly HttpRequest[]
  /** `POST https://login.test/token`, for each. */
  places(): readonly string[]
}

/** Which origin plays a host; and the addresses of hosts that are not public. */
export function onTheInternet(
  hosts: Readonly<Record<string, string>>,
  addresses: Readonly<Record<string, string>> = {},
): Internet {
  const sent: HttpRequest[] = []
  const change = (world: World): World => ({
    ...world,
    resolver: {
      addressesOf: async (host) => [addresses[host] ?? '93.184.216.34'],
    },
    http: {
      request: (request, listener) => {
        const { address: _, ...rest } = request
        const { host } = new URL(request.origin)
        sent.push(request)
        return world.http.request({ ...rest, origin: hosts[host] ?? 'http://127.0.0.1:1' }, listener)
      },
    },
  })
  return { change, sent, places: () => sent.map(({ method, origin, path }) => `${method} ${origin}${path}`) }
}
