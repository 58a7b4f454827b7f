/**
 * ear: everything a wire tells, in order, and a way to wait for it.
 */
import type { Message, RpcRequest } from '../../../src/model/message.ts'
import type { SendOptions, Wire, WireFailure, WireListener } from '../../../src/model/wire.ts'

export type Heard =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'noise'; readonly text: string }
  | { readonly kind: 'sign' }
  | { readonly kind: 'end'; readonly failure: WireFailure }

export interface Ear {
  readonly listener: WireListener
  readonly heard: readonly Heard[]
  messages(): readonly Message[]
  ends(): readonly WireFailure[]
  /** Resolves when the claim holds, looked at after each thing heard. */
  until(claim: () => boolean): Promise<void>
}

export function createEar(): Ear {
  const heard: Heard[] = []
  let wake: (() => void)[] = []
  const hear = (one: Heard): void => {
    heard.push(one)
    const woken = wake
    wake = []
    for (const tell of woken) tell()
  }
  return {
    heard,
    listener: {
      onMessage: (message) => hear({ kind: 'message', message }),
      onNoise: (text) => hear({ kind: 'noise', text }),
      onFirstSign: () => hear({ kind: 'sign' }),
      onEnd: (failure) => hear({ kind: 'end', failure }),
    },
    messages: () => heard.flatMap((one) => (one.kind === 'message' ? [one.message] : [])),
    ends: () => heard.flatMap((one) => (one.kind === 'end' ? [one.failure] : [])),
    async until(claim) {
      while (!claim()) await new Promise<void>((resolve) => wake.push(resolve))
    },
  }
}

export interface Said {
  readonly wire: Wire
  readonly ear: Ear
}

/** The answer to a request, or how it failed. */
export async function ask(
  { wire, ear }: Said,
  request: RpcRequest,
  options: SendOptions = {},
): Promise<Message | WireFailure> {
  const isAnswer = (message: Message): boolean => !('method' in message) && message.id === request.id
  const failed = new Promise<WireFailure>((resolve) => wire.send(request, { ...options, onFailure: resolve }))
  const answered = ear.until(() => ear.messages().some(isAnswer))
  return Promise.race([failed, answered.then(() => ear.messages().find(isAnswer)!)])
}

export function request(id: number, method: string, params?: Readonly<Record<string, unknown>>): RpcRequest {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' } as const
