/**
 * serve-daemon: `serve --daemon`. Starts the gateway in the background, or is it.
 */
import { isObject } from '../../base/is-object.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import { readGatewayToken } from '../../runtime/gateway-token.ts'
import { NamedTokens } from '../../runtime/named-tokens.ts'
import { alreadyRuns, askStatus, describe, type GatewayStatus } from '../../runtime/running-gateway.ts'
import { gatewayPlaceOf } from '../../world/gateway-place.ts'
import { canVisit } from '../../world/visit.ts'
import type { World } from '../../world/world.ts'
import type { HttpServingOptions } from '../shared/gateway-host.ts'
import type { ProblemJson } from '../shared/problem-json.ts'
import { sharingOf } from '../shared/sharing.ts'
import { showPath } from '../shared/show-path.ts'
import type { CommandContext } from './command.ts'
import { ended, finishServing } from './ended.ts'
import { DONE } from './exit-codes.ts'
import { keepRenewing } from './keep-renewing.ts'
import { loadAgain } from './load-again.ts'
import { printJson } from './print.ts'
import { daemonDied, notForDaemon } from './problems.ts'
import { drainLimitMs, readAudit, readServeOptions } from './serve-options.ts'

type Address = Pick<HttpServingOptions, 'host' | 'port'>

/** Throws `cli/not-for-daemon`, `serve/already-runs`, `serve/daemon-died`, `serve/cannot-listen`. */
export function runDaemon(context: CommandContext, address: Address | undefined): Promise<number> {
  for (const flag of ['stdio', 'mcp-config', 'strict-mcp-config', 'no-mcp'])
    if (context.flags[flag] !== undefined) throw new ProblemError(notForDaemon(`--${flag}`))
  return context.flags['foreground'] === true ? inForeground(context, address) : inBackground(context)
}

async function inBackground(context: CommandContext): Promise<number> {
  const { world, version, terminal, argv } = context
  const before = await askStatus(world, version)
  if (before.gateway.running) throw new ProblemError(alreadyRuns(before))
  const { log } = gatewayPlaceOf(world)
  const words = withWholePaths(world, argv).filter((word) => word !== '--json')
  const line = await world.daemons.start([...words, '--foreground', '--json'], { log })
  const said = readLine(line)
  if (said === undefined) throw new ProblemError(daemonDied(log))
  if ('error' in said) throw new ProblemError(said.error)
  if (context.json) printJson(terminal, said)
  else if (said.gateway.running) {
    terminal.out(`a gateway runs in the background${describe(said.gateway)}\n`)
    terminal.err(`its log is ${showPath(log, world)}; \`plugboard stop\` ends it\n`)
  }
  return DONE
}

const FILE_FLAGS: ReadonlySet<string> = new Set(['--audit', '--tls-cert', '--tls-key'])

/** It works in another folder. */
function withWholePaths({ paths, cwd }: World, argv: readonly string[]): readonly string[] {
  return argv.map((word, i) => {
    const [flag = '', ...value] = word.split('=')
    if (FILE_FLAGS.has(argv[i - 1] ?? '')) return paths.resolve(cwd, word)
    const isJoined = FILE_FLAGS.has(flag) && value.length > 0
    return isJoined ? `${flag}=${paths.resolve(cwd, value.join('='))}` : word
  })
}

/** The first line of the one in the background: how it is, or why it is not. */
function readLine(text: string | undefined): GatewayStatus | { readonly error: Problem } | undefined {
  try {
    const said: unknown = JSON.parse(text ?? '')
    if (!isObject(said)) return undefined
    if (!isObject(said['error'])) return said as unknown as GatewayStatus
    const { code, message, file, line, column, notes = [], hints } = said['error'] as unknown as ProblemJson
    const spot = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
    const where = file === undefined ? {} : { where: { file, ...spot } }
    return { error: createProblem({ code, message, ...where, notes, hints }) }
  } catch {
    return undefined // it did not get that far
  }
}

async function inForeground(context: CommandContext, address: Address | undefined): Promise<number> {
  const { world, version, terminal } = context
  const home = { ...world, cwd: world.home }
  const loaded = await context.load({}, home)
  const options = address === undefined ? undefined : readServeOptions(context, address, loaded)
  const audit = readAudit(context, loaded)
  const end = options?.end ?? { lameDuckMs: 0, limitMs: drainLimitMs(context) }
  const { openDaemon } = await context.gateway()
  await using daemon = await openDaemon({
    world,
    version,
    sharing: sharingOf(loaded.gateway),
    persons: options?.http.issuer === undefined ? undefined : 'apart',
    load: () => loadAgain(context, { connectors: 'fetch' }),
    audit,
    command: (argv, shown, visited) => {
      if (!canVisit(argv)) throw new Error(`no command for a visitor: ${argv[0] ?? ''}`)
      return context.command(argv, shown, visited)
    },
  })
  if (options !== undefined) {
    const { token } = await readGatewayToken(world, loaded.dirs)
    const tokens = await NamedTokens.open(world, loaded.dirs)
    await daemon.overHttp({ ...options.http, token, tokens })
  }
  const { tlsFiles } = options ?? {}
  const stopRenewing = tlsFiles === undefined ? undefined : await keepRenewing(context, daemon, tlsFiles)
  // The terminal it was started in goes away, and it does not.
  const finish = (): Promise<void> => finishServing(context, daemon, end)
  const isOver = Promise.race([daemon.ended.then(finish).then(() => DONE), ended(context, finish)])
  const status = await daemon.status()
  if (context.json) printJson(terminal, status)
  else if (status.gateway.running) terminal.err(`a gateway runs here${describe(status.gateway)}\n`)
  return await isOver.finally(() => stopRenewing?.())
}
