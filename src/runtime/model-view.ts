/**
 * model-view: what a model is told beside the tools of the servers, and whether that changed.
 */
import { offeredBuiltins, type BuiltinTool } from './builtin-tools.ts'
import { toSection } from './prompt-section.ts'
import { nextStanding, type KnownServer, type Standing, type StandingServer } from './standing.ts'

export interface ModelView {
  section(servers: readonly KnownServer[]): string
  /** The same value as before, when nothing in it changed. */
  builtins(servers: readonly KnownServer[]): readonly BuiltinTool[]
  /** What is not as it was at the last update. */
  update(servers: readonly KnownServer[]): { readonly section: boolean; readonly builtins: boolean }
}

export function createModelView(): ModelView {
  let standings: ReadonlyMap<string, Standing> = new Map()
  let toldSection = ''
  let toldBuiltins = offeredBuiltins([])
  const stand = (servers: readonly KnownServer[]): readonly StandingServer[] => {
    const standing = servers.map((server) => ({
      ...server,
      standing: nextStanding(standings.get(server.name), server.connection),
    }))
    standings = new Map(standing.map((server) => [server.name, server.standing]))
    return standing
  }
  return {
    section: (servers) => toSection(stand(servers)),
    builtins: (servers) => offeredBuiltins(stand(servers)),
    update(servers) {
      const standing = stand(servers)
      const [section, builtins] = [toSection(standing), offeredBuiltins(standing)]
      const changed = { section: section !== toldSection, builtins: builtins !== toldBuiltins }
      toldSection = section
      toldBuiltins = builtins
      return changed
    },
  }
}
