/** model-view: what a model gets beside the tools of the servers, and whether it changed since the last update. */
import { offeredBuiltins, type BuiltinTool } from './builtin-tools.ts'
import { toSection } from './prompt-section.ts'
import { nextStanding, type KnownServer, type Standing, type StandingServer } from './standing.ts'

export interface ModelView {
  section(servers: readonly KnownServer[]): string
  /** Returns the same value as before when nothing in it changed. */
  builtins(servers: readonly KnownServer[]): readonly BuiltinTool[]
  /** Like `update`, but formats no text: many hosts exit before anything changes. */
  begin(servers: readonly KnownServer[]): void
  /** What changed since the last update, or since `begin`. */
  update(servers: readonly KnownServer[]): { readonly section: boolean; readonly builtins: boolean }
}

export function createModelView(): ModelView {
  let standings: ReadonlyMap<string, Standing> = new Map()
  let told: readonly StandingServer[] = []
  /** The text for these servers. The first update makes it: many hosts exit before that. */
  let toldSection: string | undefined
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
    begin(servers) {
      told = stand(servers)
      toldSection = undefined
    },
    update(servers) {
      const [before, sectionBefore] = [told, toldSection ?? toSection(told)]
      told = stand(servers)
      toldSection = toSection(told)
      return {
        section: toldSection !== sectionBefore,
        builtins: offeredBuiltins(told) !== offeredBuiltins(before),
      }
    },
  }
}
