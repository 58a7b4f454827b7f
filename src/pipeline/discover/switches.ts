/**
 * switches: lines outside of an entry that turn it off, or on again.
 */
import { spotOf, type ConfigDocument, type ConfigNode } from '../../model/document.ts'
import type { Switch } from '../../model/entry.ts'

export type SwitchFor = (name: string) => Switch | undefined

/** Lines of a list of names that turn servers off or on: `disabledServers`, `mcp.excluded` … */
export function switchesFrom(
  document: ConfigDocument | undefined,
  list: ConfigNode | undefined,
  change: { readonly to: 'on' | 'off'; readonly reason: string },
): SwitchFor {
  if (document === undefined || list?.kind !== 'array') return () => undefined
  const byName = new Map<unknown, Switch>()
  for (const item of list.items) {
    if (item.kind !== 'scalar') continue
    byName.set(item.value, { ...change, by: spotOf(document, item) })
  }
  return (name) => byName.get(name)
}

/** The first switch that decides about a server, by its name or another key. */
export function firstSwitch<T>(
  ...all: readonly ((server: T) => Switch | undefined)[]
): (server: T) => Switch | undefined {
  return (server) => {
    for (const switchFor of all) {
      const found = switchFor(server)
      if (found !== undefined) return found
    }
    return undefined
  }
}
