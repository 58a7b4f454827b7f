/** gateway-setting: what the settings say about the gateway, for the users and clients that share one. */
export interface GatewaySetting {
  /** The limit for each client. */
  readonly rateLimit?: Rate | 'off'
  /**
   * How often in a row a client may get the same response to the same call; 0: no limit. For clients that the gateway
   * can tell apart.
   */
  readonly loopLimit?: number
  /** Estimated tokens of text in one result. A longer result is saved, and shown in part. 0: no limit. */
  readonly maxResultTokens?: number
  /** A file. A relative path starts in the home of its user. */
  readonly audit?: string
  readonly auditArguments?: boolean
  /** Older files of the audit log are deleted; 0: none is. */
  readonly auditKeepDays?: number
  /** For all its files together. Beyond this, the oldest are deleted. 0: none is. */
  readonly auditKeepMegabytes?: number
  readonly authIssuer?: string
  /** Values that `aud` may have, besides the address of the gateway. */
  readonly authAudience?: readonly string[]
  /** `https://mcp.example.com`: the address that clients use. */
  readonly publicUrl?: string
  /** Names of the gateway that clients may use. */
  readonly allowedHosts?: readonly string[]
  /** Scope of a token → names of servers, where `*` is any text. Empty: no client may use anything. */
  readonly scopes?: ReadonlyMap<string, readonly string[]>
  /** After SIGTERM, how long the gateway goes on working while `/readyz` already answers no. */
  readonly lameDuckSeconds?: number
  readonly tlsCert?: string
  readonly tlsKey?: string
  /** A server that no client used for so long is ended until a client needs it. 0: never. */
  readonly idleMinutes?: number
  /** For one server with `isolation: session`, the most processes at the same time. */
  readonly maxPerServer?: number
}

export interface Rate {
  readonly perSecond: number
  /** How many may come at once, after a pause. */
  readonly burst: number
}

/**
 * `100/s`, `600/m`, `off`. The burst is the number for ten seconds, and at least 10. Undefined: the text is invalid.
 */
export function parseRate(text: string): Rate | 'off' | undefined {
  if (text === 'off') return 'off'
  const [, count, unit] = /^(\d{1,6})\/(s|m)$/.exec(text) ?? []
  const perSecond = Number(count) / (unit === 'm' ? 60 : 1)
  if (count === undefined || perSecond === 0) return undefined
  return { perSecond, burst: Math.max(10, Math.ceil(perSecond * 10)) }
}
