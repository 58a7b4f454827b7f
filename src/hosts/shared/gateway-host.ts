/**
 * gateway-host: what the command line knows of the gateway. Hosts do not see each other: whoever builds the program hands
 * it over, and it is loaded when it is asked for.
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
  /** Rejects with a ProblemError, `serve/already-runs` say. */
  openDaemon(request: DaemonRequest): Promise<OpenDaemon>
}

export interface DaemonRequest {
  readonly world: World
  readonly version: string
  readonly sharing: Sharing
  /** As `ServingRequest.persons`. */
  readonly persons?: ServingRequest['persons']
  /** How files are read, in the world of a visitor. */
  load(world: World): Load
  readonly audit?: AuditWish | undefined
  /** Carries out a line that a visitor typed, and gives its exit code. */
  command(argv: readonly string[], terminal: Terminal, visited: Visited): Promise<number>
}

/** Where a line is carried out that was typed elsewhere. */
export interface Visited {
  /** With the folder and the environment of whoever typed it. */
  readonly world: World
  readonly board: Board
}

export interface OpenDaemon extends AsyncDisposable {
  /** Gives the port. Rejects with a ProblemError. */
  overHttp(options: HttpServingOptions): Promise<number>
  status(): Promise<GatewayStatus>
  /** As a serving's own, of all that are open. */
  renew(tls: TlsIdentity): void
  announceEnd(): void
  drain(limitMs: number): Promise<void>
  /** Somebody asked it to end. */
  readonly ended: Promise<void>
}

export interface ServingRequest {
  /** With whom processes are shared. Undefined: with nobody, and kept by the rules of the settings all the same. */
  readonly pool?: BoardOptions['pool']
  /** Where this process can be reached over HTTP; whoever listens adds to it. Default: one of its own. */
  readonly ownOrigins?: Set<string>
  readonly world: World
  readonly version: string
  /** `apart`: an issuer will say who comes in, so that persons must not share processes. Default: they do. */
  readonly persons?: 'apart' | undefined
  readonly load: Load
  /** For each further project, which shares nothing with what was read for another. Undefined: `load` is good for all. */
  loadAnew?(): Load
  /** Undefined: nothing is written down. */
  readonly audit?: AuditWish | undefined
}

export interface AuditWish {
  /** Absolute. */
  readonly file: string
  readonly arguments: 'kept' | 'left-out'
  /** As the settings have it. Undefined: as usual. */
  readonly keepDays?: number | undefined
  readonly keepMegabytes?: number | undefined
  /** Of what is dropped or cannot be written. */
  readonly tell?: ((text: string) => void) | undefined
}

export interface OpenServing extends AsyncDisposable {
  readonly board: Board
  /** Until the client on the other end of stdin is gone. */
  overStdio(pipe: StdioPipe): Promise<void>
  /** Gives the port. Rejects with a ProblemError. */
  overHttp(options: HttpServingOptions): Promise<number>
  /** For connections from now on. Throws when the two do not belong together; then those before stay. */
  renew(tls: TlsIdentity): void
  /** From now on it says that it is not ready, and does everything as before. */
  announceEnd(): void
  /** Takes nothing new, tells those who listen that it is over, and waits for what is under way, up to the limit. */
  drain(limitMs: number): Promise<void>
}

export interface StdioPipe {
  onInput(listener: InputListener): void
  out(text: string): void
}

export interface HttpServingOptions {
  readonly host: string
  readonly port: number
  /** What a client must show. Undefined only where somebody else stands at the door. */
  readonly token: string | undefined
  /** Others, each with a name. Closed with the listener. */
  readonly tokens?: NamedTokens | undefined
  /** Names that clients may use for it, besides those of this machine. */
  readonly hosts?: readonly string[] | undefined
  readonly rate?: Rate | undefined
  readonly tls?: TlsIdentity | undefined
  /** Whose tokens open the door to MCP, in place of ours. */
  readonly issuer?: IssuerWish | undefined
}

export interface IssuerWish {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly scopes: GatewaySetting['scopes']
  /** As clients know it. Undefined: by address and port. */
  readonly publicUrl: string | undefined
}
