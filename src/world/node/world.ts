/**
 * world: the real one.
 */
import type { Env, Network, Paths, World } from '../world.ts'
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
import { nodeServing } from './serving.ts'
import { createNodeShell } from './shell.ts'
import { createNodeSockets } from './sockets.ts'
import { homeIn, toPlatform } from './user.ts'
import { createNodeWeb } from './web.ts'

export interface NodeWorldOptions {
  readonly cwd?: string | undefined
  /** Default: that of the process. Says also which proxy is used. */
  readonly env?: Env | undefined
}

export function createNodeWorld(options: NodeWorldOptions = {}): World {
  const platform = toPlatform(process.platform)
  const { env = process.env } = options
  const paths = pathsOf(platform)
  const home = findHome(paths)
  return {
    platform,
    // Asked only by those who start something.
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
    ...createNodeNetwork(env),
    networkOf: createNodeNetwork,
    keychain: createNodeKeychain(platform, env),
    sealer: nodeSealer,
    resolver: nodeResolver,
    browser: createNodeBrowser(platform, env),
    loopback: nodeLoopback,
    keys: nodeKeys,
    serving: nodeServing,
    pipes: nodePipes,
    daemons: createNodeDaemons(home),
  }
}

function createNodeNetwork(env: Env): Network {
  const http = createNodeHttp(env)
  return { http, web: createNodeWeb(http), sockets: createNodeSockets(env) }
}

function findHome(paths: Paths): string {
  // `node:os` is loaded only here: nearly everyone has the variable.
  return homeIn(process.env, paths) ?? process.getBuiltinModule('node:os').userInfo().homedir
}

/** The folder may be gone; then its name still serves, and there is simply nothing in it. */
function findCwd(): string {
  try {
    return process.cwd()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return process.env['PWD'] ?? '/'
  }
}
