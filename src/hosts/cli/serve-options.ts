/**
 * serve-options: combines flags and settings into the options of a gateway over HTTP.
 *
 * in     flags, which take precedence over settings
 * out    complete options; problems for values that make no sense
 * never  serves other machines without TLS, unless a flag explicitly says so
 */
import { parseRate, type GatewaySetting, type Rate } from '../../model/gateway-setting.ts'
import { ProblemError } from '../../problem/problem.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { TlsIdentity, World } from '../../world/world.ts'
import type { AuditSettings, HttpServingOptions } from '../shared/gateway-host.ts'
import type { CommandContext } from './command.ts'
import { badAddress, badFlag, halfTls, notLoopback, unreadableTls } from './problems.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** How the gateway ends after a request to stop. */
export interface EndOptions {
  /** In this time the gateway does all its work, and `/readyz` says no. */
  readonly lameDuckMs: number
  /** How long running calls may take after that. */
  readonly limitMs: number
}

export interface ServeOptions {
  readonly http: Omit<HttpServingOptions, 'token'>
  readonly audit: AuditSettings | undefined
  readonly end: EndOptions
  /** The gateway reads these files again when they change. */
  readonly tlsFiles: TlsFiles | undefined
}

/** For a gateway that several people share: a user at a keyboard, or a model, sends fewer requests. */
const SHARED_RATE: Rate = { perSecond: 100, burst: 1000 }

/** How long running calls may take after a request to stop. */
const DRAIN_SECONDS = 10

/**
 * A gateway for other machines may have a load balancer, which must see `/readyz` fail before connections are refused.
 */
const LAME_DUCK_SECONDS = 5

/** Throws `cli/bad-flag`, `serve/not-loopback`, `serve/half-tls`, `serve/tls-file`, and the problems of settings. */
export function readServeOptions(
  context: CommandContext,
  address: Address,
  { gateway = {}, gatewayFault }: Pick<LoadedCatalog, 'gateway' | 'gatewayFault'>,
): ServeOptions {
  if (gatewayFault !== undefined) throw new ProblemError(gatewayFault)
  const { world } = context
  const tlsFiles = findTls(context, gateway)
  const tls = tlsFiles === undefined ? undefined : readTls(world, tlsFiles)
  const isOpen = !LOOPBACK.has(address.host)
  if (isOpen && tls === undefined && context.flags['dangerously-serve-without-tls'] !== true)
    throw new ProblemError(notLoopback(address.host))
  const issuer = findIssuer(context, gateway)
  return {
    http: {
      ...address,
      hosts: [...textsOf(context, 'allowed-host'), ...(gateway.allowedHosts ?? [])].map((host) =>
        host.replace(/:\d+$/, ''),
      ),
      rate: findRate(context, gateway, isOpen || issuer !== undefined),
      tls,
      issuer,
    },
    audit: readAudit(context, { gateway }),
    end: {
      lameDuckMs: findLameDuckMs(context, gateway, isOpen),
      limitMs: drainLimitMs(context),
    },
    tlsFiles,
  }
}

/** Also for a gateway over stdio. Throws the problems of settings. */
export function readAudit(
  context: CommandContext,
  { gateway = {}, gatewayFault }: Pick<LoadedCatalog, 'gateway' | 'gatewayFault'>,
): AuditSettings | undefined {
  if (gatewayFault !== undefined) throw new ProblemError(gatewayFault)
  const { world, flags } = context
  const given = flags['audit']
  const file =
    typeof given === 'string' ? world.paths.resolve(world.cwd, given) : inHome(world, gateway.audit)
  const isKept = flags['audit-arguments'] === true || gateway.auditArguments === true
  if (file === undefined) return undefined
  return {
    file,
    arguments: isKept ? 'kept' : 'left-out',
    keepDays: gateway.auditKeepDays,
    keepMegabytes: gateway.auditKeepMegabytes,
    tell: (text) => context.terminal.err(`warning: ${text}\n`),
  }
}

/** Throws `cli/bad-flag`. */
export function drainLimitMs(context: CommandContext): number {
  return (secondsOf(context, 'drain-timeout') ?? DRAIN_SECONDS) * 1000
}

function findLameDuckMs(context: CommandContext, gateway: GatewaySetting, isOpen: boolean): number {
  const seconds = secondsOf(context, 'lame-duck') ?? gateway.lameDuckSeconds
  return (seconds ?? (isOpen ? LAME_DUCK_SECONDS : 0)) * 1000
}

function secondsOf({ flags }: CommandContext, flag: string): number | undefined {
  const given = flags[flag]
  if (given === undefined) return undefined
  const seconds = Number(given)
  if (typeof given !== 'string' || given.trim() === '' || !(seconds >= 0 && seconds <= 3600))
    throw new ProblemError(badFlag(flag, String(given), 'seconds, up to 3600'))
  return seconds
}

const LOOPBACK = new Set(['127.0.0.1', '::1'])

/** Throws `cli/bad-address`. */
export function parseAddress(text: string): Address {
  const [, name = '127.0.0.1', digits] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  // Other names are not accepted: name resolution, outside our control, decides what they mean.
  const host = name === 'localhost' ? '127.0.0.1' : name.replace(/^\[(.*)\]$/, '$1')
  if (digits === undefined || port > 65_535 || !isAddress(host)) throw new ProblemError(badAddress(text))
  return { host, port }
}

function isAddress(host: string): boolean {
  const isFour = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) && host.split('.').every((part) => Number(part) < 256)
  return isFour || (host.includes(':') && URL.canParse(`http://[${host}]/`))
}

/** Throws `serve/tls-file`. */
export function readTls(world: World, files: TlsFiles): TlsIdentity {
  return { cert: readPem(world, files.cert), key: readPem(world, files.key) }
}

function readPem(world: World, file: string): string {
  const read = world.files.read(file)
  if (read.kind !== 'text')
    throw new ProblemError(unreadableTls(file, read.kind === 'missing' ? 'is not there' : 'cannot be read'))
  if (!read.text.includes('-----BEGIN ')) throw new ProblemError(unreadableTls(file, 'holds no PEM'))
  return read.text
}

function findTls(context: CommandContext, gateway: GatewaySetting): TlsFiles | undefined {
  const { world, flags } = context
  const find = (flag: string, setting: string | undefined): string | undefined => {
    const given = flags[flag]
    return typeof given === 'string' ? world.paths.resolve(world.cwd, given) : inHome(world, setting)
  }
  const cert = find('tls-cert', gateway.tlsCert)
  const key = find('tls-key', gateway.tlsKey)
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) throw new ProblemError(halfTls())
  return { cert, key }
}

function inHome({ paths, home }: World, file: string | undefined): string | undefined {
  return file === undefined ? undefined : paths.resolve(home, file.replace(/^~[/\\]/, ''))
}

function findIssuer(context: CommandContext, gateway: GatewaySetting): HttpServingOptions['issuer'] {
  const { flags } = context
  const issuer = textOf(flags['auth-issuer']) ?? gateway.authIssuer
  const publicUrl = textOf(flags['public-url']) ?? gateway.publicUrl
  if (publicUrl !== undefined && !(URL.canParse(publicUrl) && /^https?:\/\/[^/]+\/*$/.test(publicUrl)))
    throw new ProblemError(
      badFlag('public-url', publicUrl, 'an address without a path: `https://mcp.example.com`'),
    )
  const audiences = [...textsOf(context, 'auth-audience'), ...(gateway.authAudience ?? [])]
  if (issuer !== undefined) return { issuer, audiences, scopes: gateway.scopes, publicUrl }
  if (audiences.length > 0)
    throw new ProblemError(
      badFlag('auth-audience', audiences[0]!, 'given together with `--auth-issuer <url>`'),
    )
  return undefined
}

function findRate({ flags }: CommandContext, gateway: GatewaySetting, isShared: boolean): Rate | undefined {
  const given = textOf(flags['rate-limit'])
  const asked = given === undefined ? gateway.rateLimit : parseRate(given)
  if (given !== undefined && asked === undefined)
    throw new ProblemError(badFlag('rate-limit', given, '`100/s`, `600/m` or the like, or `off`'))
  if (asked === 'off') return undefined
  return asked ?? (isShared ? SHARED_RATE : undefined)
}

function textOf(flag: CommandContext['flags'][string]): string | undefined {
  return typeof flag === 'string' ? flag : undefined
}

function textsOf({ flags }: CommandContext, name: string): readonly string[] {
  const given = flags[name]
  if (typeof given === 'string') return [given]
  return Array.isArray(given) ? given : []
}
