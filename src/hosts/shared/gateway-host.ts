/**
 * gateway-host: what the command line knows of the gateway. Hosts do not see each other: whoever builds the program hands
 * it over, and it is loaded when it is asked for.
 */
import type { Load } from '../../runtime/catalog-loader.ts'
import type { InputListener, World } from '../../world/world.ts'

export type GatewayHost = () => Promise<GatewayModule>

export interface GatewayModule {
  /** Rejects with a ProblemError. */
  openServing(request: ServingRequest): Promise<OpenServing>
}

export interface ServingRequest {
  readonly world: World
  readonly version: string
  readonly load: Load
}

export interface OpenServing extends AsyncDisposable {
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
