/**
 * errand: one sign-in in progress, with everything that its steps need: the plan of the entry, the SDK, and the guarded
 * fetch.
 *
 * never  loads the SDK before it must ask an authorization server: loading costs more than a whole command
 */
import type * as Client from '@modelcontextprotocol/client'
import type { Secret } from '../../base/secret.ts'
import type { Challenge, SignInPlan } from '../../model/sign-in.ts'
import type { World } from '../../world/world.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'

export type Sdk = typeof Client

/** As the SDK checked it. Fields that the SDK does not know are still there. */
export type ServerMetadata = NonNullable<Awaited<ReturnType<Sdk['discoverAuthorizationServerMetadata']>>>

export interface SignInContext {
  readonly server: string
  readonly plan: SignInPlan
  readonly challenge?: Challenge | undefined
  /** Replaces the scopes of the server, of its description and of the entry. */
  readonly scopes?: readonly string[] | undefined
  readonly sdk: Sdk
  readonly fetch: GuardedFetch
  readonly world: Pick<World, 'keys' | 'clock'>
  /** The address of the last request, without its query, which may hold a code. */
  lastAsked(): string | undefined
  /**
   * By the clock of the server that answered last. The local clock may be wrong, and servers refuse signatures that are
   * an hour old.
   */
  now(): number
  /** What no message may repeat. */
  readonly secrets: Secret[]
  readonly signal?: AbortSignal | undefined
}

export interface ErrandRequest extends Pick<
  SignInContext,
  'server' | 'plan' | 'challenge' | 'scopes' | 'signal'
> {
  readonly world: World
}

export async function createErrand(request: ErrandRequest): Promise<SignInContext> {
  const { world, plan, signal } = request
  const { clock } = world
  const { url: serverUrl, allowsHttp, chosenOrigins } = plan
  const guarded = createGuardedFetch(world, { serverUrl, allowsHttp, chosenOrigins, signal })
  let skewMs = 0
  let asked: string | undefined
  return {
    ...request,
    sdk: await import('@modelcontextprotocol/client'),
    lastAsked: () => asked,
    fetch: async (url, init) => {
      const { origin, pathname } = undisguise(url, plan)
      asked = origin + pathname
      const response = await guarded(undisguise(url, plan), init)
      skewMs = skewOf(response, clock.now()) ?? skewMs
      return response
    },
    now: () => clock.now() + skewMs,
    secrets: secretsOf(plan),
  }
}

/** A smaller difference is only the time that answers take. */
const LEAST_SKEW_MS = 60_000

/** How far the server's clock is ahead of the local one; undefined if the answer has no date. */
function skewOf(response: Response, now: number): number | undefined {
  const theirs = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return undefined
  return Math.abs(theirs - now) < LEAST_SKEW_MS ? 0 : theirs - now
}

/**
 * The SDK refuses to send a secret over plain HTTP. If the entry allows that, the SDK gets `https` endpoints, and this
 * function turns them back.
 */
const DISGUISE = 'plain-http'

export function disguise(endpoint: string, { allowsHttp }: SignInPlan): string {
  if (!allowsHttp || !endpoint.startsWith('http:')) return endpoint
  const url = new URL(endpoint.replace(/^http:/, 'https:'))
  // The default port of http differs from that of https, so it must be explicit.
  if (url.port === '') url.port = '80'
  url.hash = DISGUISE
  return url.href
}

export function undisguise(to: string | URL, { allowsHttp }: SignInPlan): URL {
  const url = new URL(to)
  return allowsHttp && url.hash === `#${DISGUISE}` ? new URL(url.href.replace(/^https:/, 'http:')) : url
}

function secretsOf({ client, grant }: SignInPlan): Secret[] {
  const found = [
    client?.secret,
    client?.key?.pem,
    grant.kind === 'jwt-bearer' ? grant.assertion : undefined,
    ...(grant.kind === 'enterprise' ? [grant.idToken, grant.provider.clientSecret] : []),
  ]
  return found.filter((one) => one !== undefined)
}
