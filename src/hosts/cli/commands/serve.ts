/**
 * serve: every server behind one endpoint, for any MCP client, until somebody ends it.
 */
import { ProblemError } from '../../../problem/problem.ts'
import { readGatewayToken } from '../../../runtime/gateway-token.ts'
import { NamedTokens } from '../../../runtime/named-tokens.ts'
import type { World } from '../../../world/world.ts'
import { originOf } from '../../shared/origin-of.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { ended, finishServing } from '../ended.ts'
import { DONE } from '../exit-codes.ts'
import { keepRenewing } from '../keep-renewing.ts'
import { loadAgain } from '../load-again.ts'
import { oneWayToServe } from '../problems.ts'
import { runDaemon } from '../serve-daemon.ts'
import { drainLimitMs, parseAddress, readAudit, readServeOptions, type Address } from '../serve-options.ts'

/** Throws `cli/one-way-to-serve`, `cli/bad-address`, `serve/cannot-listen`, and what `readServeOptions` throws. */
export async function run(context: CommandContext): Promise<number> {
  const { flags } = context
  const address = flags['http']
  if (flags['daemon'] === true) {
    return runDaemon(context, typeof address === 'string' ? parseAddress(address) : undefined)
  }
  const isStdio = flags['stdio'] === true
  if (isStdio === (typeof address === 'string')) throw new ProblemError(oneWayToServe())
  return isStdio ? overStdio(context) : overHttp(context, parseAddress(address as string))
}

/** The client that started this one says by its folder which project it is about. */
async function overStdio(context: CommandContext): Promise<number> {
  const { terminal, world, version } = context
  const limitMs = drainLimitMs(context)
  const audit = readAudit(context, await context.load({}, world))
  const { openServing } = await context.gateway()
  await using serving = await openServing({
    world,
    version,
    load: loadAgain(context, { connectors: 'fetch' }),
    audit,
  })
  const isOver = serving.overStdio(terminal)
  // Awaited here, or it would be closed before it began.
  return await Promise.race([isOver.then(() => DONE), ended(context, () => serving.drain(limitMs))])
}

/** Nobody knows in which project a client over HTTP works, unless its token says so: it gets what its user has everywhere. */
async function overHttp(context: CommandContext, address: Address): Promise<number> {
  const { terminal, version } = context
  const world: World = { ...context.world, cwd: context.world.home }
  const loaded = await context.load({}, world)
  const { http, audit, end, tlsFiles } = readServeOptions(context, address, loaded)
  const { token, file } = await readGatewayToken(world, loaded.dirs)
  const tokens = await NamedTokens.open(world, loaded.dirs)
  const { openServing } = await context.gateway()
  await using serving = await openServing({
    world,
    version,
    load: loadAgain(context, { connectors: 'fetch' }),
    persons: http.issuer === undefined ? undefined : 'apart',
    loadAnew: () => loadAgain(context, { connectors: 'fetch' }),
    audit,
  })
  const port = await serving.overHttp({ ...http, token, tokens })
  // Before it says that it serves: whoever reads that may ask it to end.
  const isOver = ended(context, () => finishServing(context, serving, end))
  const origin = originOf(http, port)
  const shown = showPath(file, context.world)
  terminal.err(
    [
      `serving ${origin}/mcp, and each server at /mcp/<server>`,
      http.issuer === undefined
        ? `clients send the token in ${shown} as \`Authorization: Bearer …\``
        : `clients sign in at ${http.issuer.issuer}; the token in ${shown} is for /metrics alone`,
      ...(http.issuer !== undefined && http.issuer.scopes === undefined
        ? ['whoever has a token of it may use every server: the setting `gateway.scopes` says otherwise']
        : []),
      '',
    ].join('\n'),
  )
  const stopRenewing = tlsFiles === undefined ? undefined : await keepRenewing(context, serving, tlsFiles)
  try {
    return await isOver
  } finally {
    stopRenewing?.()
  }
}
