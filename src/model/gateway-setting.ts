/**
 * gateway-setting: what settings say of the gateway, for those who share one.
 */
export interface GatewaySetting {
  /** For each client. */
  readonly rateLimit?: Rate | 'off'
  /** How often in a row a client that can be told from others may get the same answer to the same call; 0 is off. */
  readonly loopLimit?: number
  /** Estimated tokens of text in one result; what is longer is saved, and shown in part. 0: no limit. */
  readonly maxResultTokens?: number
  /** A file; one that is not absolute is in the home of its user. */
  readonly audit?: string
  readonly auditArguments?: boolean
  /** Files of the audit log that are older are dropped; 0: none is. */
  readonly auditKeepDays?: number
  /** Of all its files together; beyond, the oldest are dropped. 0: none is. */
  readonly auditKeepMegabytes?: number
  readonly authIssuer?: string
  /** What may stand in `aud`, besides the address of the gateway. */
  readonly authAudience?: readonly string[]
  /** `https://mcp.example.com`: as clients know it. */
  readonly publicUrl?: string
  /** Names that clients may use for it. */
  readonly allowedHosts?: readonly string[]
  /** Scope of a token → names of servers, where `*` is any text. Empty: nobody may use anything. */
  readonly scopes?: ReadonlyMap<string, readonly string[]>
  /** After SIGTERM, how long everything goes on while `/readyz` says no. */
  readonly lameDuckSeconds?: number
  readonly tlsCert?: string
  readonly tlsKey?: string
  /** A server that nobody has used for so long is ended until somebody does. 0: never. */
  readonly idleMinutes?: number
  /** Of one server with `isolation: session`, how many processes at once. */
  readonly maxPerServer?: number
}

export interface Rate {
  readonly perSecond: number
  /** At once, after a pause. */
  readonly burst: number
}

/** `100/s`, `600/m`, `off`. The burst is what may come in ten seconds, and at least 10. Undefined: not to be understood. */
export function parseRate(text: string): Rate | 'off' | undefined {
  if (text === 'off') return 'off'
  const [, count, unit] = /^(\d{1,6})\/(s|m)$/.exec(text) ?? []
  const perSecond = Number(count) / (unit === 'm' ? 60 : 1)
  if (count === undefined || perSecond === 0) return undefined
  return { perSecond, burst: Math.max(10, Math.ceil(perSecond * 10)) }
}
