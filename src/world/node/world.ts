/**
 * world: the real one.
 */
import type { Env, Network, Paths, Platform, World } from '../world.ts'
import { AgentCache } from './agent-cache.ts'
import { createNodeBrowser } from './browser.ts'
import { nodeClock } from './clock.ts'
import { createNodeDaemons } from './daemons.ts'
import { nodeFiles } from './files.ts'
import { createNodeHttp } from './http.ts'
import { createNodeKeychain } from './keychain.ts'
import { nodeKeys } from './keys.ts'
import { nodeLoopback } from './loopback.ts'
import { pathsOf } from './paths.ts'
import { nodePipes } from './pipes.ts'
import { createNodeProcesses } from './processes.ts'
import { nodeResolver } from './resolver.ts'
import { nodeSealer } from './sealer.ts'
import { createNodeShell } from './shell.ts'
import { createNodeSockets } from './sockets.ts'
import { createNodeWeb } from './web.ts'

export interface NodeWorldOptions {
  readonly cwd?: string | undefined
  /** Default: that of the process. It also says which proxy is used. */
  readonly env?: Env | undefined
}

export function createNodeWorld(options: NodeWorldOptions = {}): World {
  const platform = toPlatform(process.platform)
  const { env = process.env } = options
  const paths = pathsOf(platform)
  const home = findHome(paths)
  const agents = new AgentCache()
  const createNetwork = (of: Env): Network => createNodeNetwork(of, agents)
  return {
    platform,
    // Computed on use: only callers that start something need it.
    get processors() {
      return process.getBuiltinModule('node:os').availableParallelism()
    },
    paths,
    env,
    home,
    cwd: paths.resolve(options.cwd ?? findCwd()),
    files: nodeFiles,
    clock: nodeClock,
    shell: createNodeShell(platform),
    processes: createNodeProcesses(platform),
    ...createNetwork(env),
    networkOf: createNetwork,
    keychain: createNodeKeychain(platform, env),
    sealer: nodeSealer,
    resolver: nodeResolver,
    browser: createNodeBrowser(platform, env),
    loopback: nodeLoopback,
    keys: nodeKeys,
    // Only a gateway serves.
    serving: {
      listen: async (listening, handler) =>
        (await import('./serving.ts')).nodeServing.listen(listening, handler),
    },
    pipes: nodePipes,
    daemons: createNodeDaemons(home),
  }
}

function createNodeNetwork(env: Env, agents: AgentCache): Network {
  const http = createNodeHttp(env, agents)
  return { http, web: createNodeWeb(http), sockets: createNodeSockets(env) }
}

/** A relative `HOME` would make a folder of the current repository the user's own folder. */
function findHome(paths: Paths): string {
  const given = process.env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME']
  if (given !== undefined && paths.isAbsolute(given)) return given
  // Loaded only here: nearly every user has the variable.
  try {
    return process.getBuiltinModule('node:os').userInfo().homedir
  } catch {
    return paths.resolve('/') // a user that the system does not know, as in some containers
  }
}

/** Other systems use the rules of Linux. */
function toPlatform(name: NodeJS.Platform): Platform {
  return name === 'win32' || name === 'darwin' ? name : 'linux'
}

/** The folder may be gone. Its name still works then: nothing is in it. */
function findCwd(): string {
  try {
    return process.cwd()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return process.env['PWD'] ?? '/'
  }
}
