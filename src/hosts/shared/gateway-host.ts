/**
 * gateway-host: the interface through which the command line uses the gateway. Hosts do not import each other. The
 * program hands the gateway over, and it is loaded on first use.
 */
import type { Board, BoardOptions } from '../../runtime/board.ts'
import type { Load } from '../../runtime/catalog-loader.ts'
import type { NamedTokens } from '../../runtime/named-tokens.ts'
import type { GatewayStatus } from '../../runtime/running-gateway.ts'
import type { GatewaySetting, Rate } from '../../model/gateway-setting.ts'
import type { InputListener, Terminal, TlsIdentity, World } from '../../world/world.ts'
import type { Sharing } from './sharing.ts'

export type GatewayHost = () => Promise<GatewayModule>

export interface GatewayModule {
  /** Rejects with a ProblemError. */
  openServing(request: ServingRequest): Promise<OpenServing>
}

export type DaemonHost = () => Promise<DaemonModule>

export interface DaemonModule {
  /** Rejects with a ProblemError, for example `serve/already-runs`. */
  openDaemon(request: DaemonRequest): Promise<OpenDaemon>
}

export interface DaemonRequest {
  readonly world: World
  readonly version: string
  readonly sharing: Sharing
  /** As `ServingRequest.persons`. */
  readonly persons?: ServingRequest['persons']
  /** Returns how configuration files are read, in the world of a visitor. */
  load(world: World): Load
  readonly audit?: AuditSettings | undefined
  /** Runs a line that a visitor typed, and returns its exit code. */
  command(argv: readonly string[], terminal: Terminal, visited: Visited): Promise<number>
}

/** Where a line runs that the user typed in another process. */
export interface Visited {
  /** With the folder and the environment of the process in which the user typed. */
  readonly world: World
  readonly board: Board
}

export interface OpenDaemon extends AsyncDisposable {
  /** Returns the port. Rejects with a ProblemError. */
  overHttp(options: HttpServingOptions): Promise<number>
  status(): Promise<GatewayStatus>
  /** As `OpenServing.renew`, for every open serving. */
  renew(tls: TlsIdentity): void
  announceEnd(): void
  drain(limitMs: number): Promise<void>
  /** Resolves when a client or the system asks the gateway to stop. */
  readonly ended: Promise<void>
}

export interface ServingRequest {
  /**
   * The pool whose processes this serving shares. Undefined: it shares none, but the rules of the settings still apply.
   */
  readonly pool?: BoardOptions['pool']
  /** The HTTP origins of this process; each listener adds its own. Default: a new set. */
  readonly ownOrigins?: Set<string>
  readonly world: World
  readonly version: string
  /** `apart`: an issuer identifies the persons, so they must not share processes. Default: they share them. */
  readonly persons?: 'apart' | undefined
  readonly load: Load
  /**
   * For each further project: a loader that shares nothing with what was read for another. Undefined: `load` serves
   * all.
   */
  loadAnew?(): Load
  /** Undefined: no audit log. */
  readonly audit?: AuditSettings | undefined
}

export interface AuditSettings {
  /** Absolute. */
  readonly file: string
  readonly arguments: 'kept' | 'left-out'
  /** From the settings. Undefined: the default. */
  readonly keepDays?: number | undefined
  readonly keepMegabytes?: number | undefined
  /** Reports log files that were removed, and lines that could not be written. */
  readonly tell?: ((text: string) => void) | undefined
}

export interface OpenServing extends AsyncDisposable {
  readonly board: Board
  /** Resolves when the client on the other end of stdin is gone. */
  overStdio(pipe: StdioPipe): Promise<void>
  /** Returns the port. Rejects with a ProblemError. */
  overHttp(options: HttpServingOptions): Promise<number>
  /** Applies to new connections. Throws when certificate and key do not match; then the old ones stay. */
  renew(tls: TlsIdentity): void
  /** From now on `/readyz` says that the gateway is not ready. Everything else continues. */
  announceEnd(): void
  /** Accepts nothing new, tells listeners that the gateway closes, and waits for running requests, up to the limit. */
  drain(limitMs: number): Promise<void>
}

export interface StdioPipe {
  onInput(listener: InputListener): void
  out(text: string): void
}

export interface HttpServingOptions {
  readonly host: string
  readonly port: number
  /** The token that a client must show. Undefined only where another check protects the gateway. */
  readonly token: string | undefined
  /** Further tokens, each with a name. Closed with the listener. */
  readonly tokens?: NamedTokens | undefined
  /** Host names that clients may use, besides those of this machine. */
  readonly hosts?: readonly string[] | undefined
  readonly rate?: Rate | undefined
  readonly tls?: TlsIdentity | undefined
  /** The authorization server whose tokens replace ours for MCP. */
  readonly issuer?: IssuerOptions | undefined
}

export interface IssuerOptions {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly scopes: GatewaySetting['scopes']
  /** The URL that clients use. Undefined: made of address and port. */
  readonly publicUrl: string | undefined
}
