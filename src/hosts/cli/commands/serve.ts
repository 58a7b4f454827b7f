/**
 * serve: every server behind one endpoint, for any MCP client, until somebody ends it.
 */
import { ProblemError } from '../../../problem/problem.ts'
import { readGatewayToken } from '../../../runtime/gateway-token.ts'
import type { World } from '../../../world/world.ts'
import { showPath } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { ended } from '../ended.ts'
import { DONE } from '../exit-codes.ts'
import { loadAgain } from '../load-again.ts'
import { badAddress, notLoopback, oneWayToServe } from '../problems.ts'

/** Throws `cli/one-way-to-serve`, `cli/bad-address`, `serve/not-loopback`, `serve/cannot-listen`. */
export async function run(context: CommandContext): Promise<number> {
  const { flags } = context
  const address = flags['http']
  if (flags['daemon'] === true) {
    const { runDaemon } = await import('../serve-daemon.ts')
    return runDaemon(context, typeof address === 'string' ? parseAddress(address) : undefined)
  }
  const isStdio = flags['stdio'] === true
  if (isStdio === (typeof address === 'string')) throw new ProblemError(oneWayToServe())
  return isStdio ? overStdio(context) : overHttp(context, parseAddress(address as string))
}

/** The client that started this one says by its folder which project it is about. */
async function overStdio(context: CommandContext): Promise<number> {
  const { terminal, world, version } = context
  const { openServing } = await context.gateway()
  await using serving = await openServing({
    world,
    version,
    load: loadAgain(context, { connectors: 'fetch' }),
  })
  const isOver = serving.overStdio(terminal)
  // Awaited here, or it would be closed before it began.
  return await Promise.race([isOver.then(() => DONE), ended(context)])
}

/** Nobody knows in which project a client over HTTP works: it gets what its user has everywhere. */
async function overHttp(context: CommandContext, address: Address): Promise<number> {
  const { terminal, version } = context
  const world: World = { ...context.world, cwd: context.world.home }
  const { dirs } = await context.load({}, world)
  const { token, file } = await readGatewayToken(world, dirs)
  const { openServing } = await context.gateway()
  await using serving = await openServing({
    world,
    version,
    load: loadAgain(context, { connectors: 'fetch' }),
  })
  const { host } = address
  const port = await serving.overHttp({ ...address, token })
  terminal.err(
    [
      `serving http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp, and each server at /mcp/<server>`,
      `clients send the token in ${showPath(file, context.world)} as \`Authorization: Bearer …\``,
      '',
    ].join('\n'),
  )
  return await ended(context)
}

interface Address {
  readonly host: string
  readonly port: number
}

const LOOPBACK = new Set(['127.0.0.1', '::1'])

function parseAddress(text: string): Address {
  const [, name = '127.0.0.1', digits] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) throw new ProblemError(badAddress(text))
  // Names are not bound to: what they lead to is for others to decide.
  const host = name === 'localhost' ? '127.0.0.1' : name.replace(/^\[(.*)\]$/, '$1')
  if (!LOOPBACK.has(host)) throw new ProblemError(notLoopback(host))
  return { host, port }
}
