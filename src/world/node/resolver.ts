/** resolver: host names, as this machine resolves them. */
import type { Resolver } from '../world.ts'

export const nodeResolver: Resolver = {
  async addressesOf(host) {
    const found = await process.getBuiltinModule('node:dns').promises.lookup(host, { all: true })
    return found.map(({ address }) => address)
  },
}
