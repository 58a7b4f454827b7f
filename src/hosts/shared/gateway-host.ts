/**
 * gateway-host: what the command line knows of the gateway. Hosts do not see each other: whoever builds the program hands
 * it over, and it is loaded when it is asked for.
 */
import type { Board } from '../../runtime/board.ts'
import type { Load } from '../../runtime/catalog-loader.ts'
import type { GatewayStatus } from '../../runtime/running-gateway.ts'
import type { InputListener, Terminal, World } from '../../world/world.ts'

export type GatewayHost = () => Promise<GatewayModule>

export interface GatewayModule {
  /** Rejects with a ProblemError. */
  openServing(request: ServingRequest): Promise<OpenServing>
}

export type DaemonHost = () => Promise<DaemonModule>

export interface DaemonModule {
  /** Rejects with a ProblemError, `serve/already-runs` say. */
  openDaemon(request: DaemonRequest): Promise<OpenDaemon>
}

export interface DaemonRequest {
  readonly world: World
  readonly version: string
  /** How files are read, in the world of a visitor. */
  load(world: World): Load
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
  /** Somebody asked it to end. */
  readonly ended: Promise<void>
}

export interface ServingRequest {
  readonly world: World
  readonly version: string
  readonly load: Load
}

export interface OpenServing extends AsyncDisposable {
  readonly board: Board
  /** Until the client on the other end of stdin is gone. */
  overStdio(pipe: StdioPipe): Promise<void>
  /** Gives the port. Rejects with a ProblemError. */
  overHttp(options: HttpServingOptions): Promise<number>
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
}
