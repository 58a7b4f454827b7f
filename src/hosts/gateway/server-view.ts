/**
 * server-view: one server at an endpoint of its own, under its own names.
 */
import { isObject } from '../../base/is-object.ts'
import type { Params } from '../../model/message.ts'
import type { Offering } from '../../model/offering.ts'
import type { ServedBoard } from './served-board.ts'
import { hintsOf, listOf, type View } from './view.ts'

export function createServerView(board: ServedBoard, server: string): View {
  const offered = (): Offering | undefined => board.server(server)?.offering
  const capabilities = (): Params => passable(offered()?.hello.capabilities ?? {})
  return {
    server,
    ready: () => (offered() === undefined ? board.connect(server) : undefined),
    settling: () => undefined,
    capabilities,
    hello() {
      const { serverInfo, instructions } = offered()?.hello ?? {}
      return {
        capabilities: capabilities(),
        serverInfo: serverInfo ?? { name: server, version: '' },
        ...(instructions === undefined ? {} : { instructions }),
      }
    },
    list(kind) {
      const here = offered()
      const all = here === undefined ? [] : [{ server, offering: here }]
      return { items: here === undefined ? [] : listOf(here, kind), ...hintsOf(all, kind) }
    },
    findTool: (name) => (offered()?.tools.some((tool) => tool.name === name) ? { server, name } : undefined),
    // A server may have a prompt that it does not list.
    findPrompt: (name) => ({ server, name }),
    // `ready` has waited for the server.
    absentOwners: () => [],
    ownersOf: () => [server],
    ownerOfTemplate: () => server,
  }
}

/**
 * The capabilities that the gateway forwards for one server. List changes are always among them: a reconnect is one
 * too.
 */
function passable(capabilities: Params): Params {
  const { tools, resources, prompts, completions, logging } = capabilities
  const changing = (capability: unknown): Params => ({
    ...(isObject(capability) ? capability : {}),
    listChanged: true,
  })
  return {
    ...(tools === undefined ? {} : { tools: changing(tools) }),
    ...(resources === undefined ? {} : { resources: changing(resources) }),
    ...(prompts === undefined ? {} : { prompts: changing(prompts) }),
    ...(completions === undefined ? {} : { completions }),
    ...(logging === undefined ? {} : { logging }),
  }
}
