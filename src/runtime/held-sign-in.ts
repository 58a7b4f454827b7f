/**
 * held-sign-in: one sign-in in use: headers at once, and new tokens in time.
 *
 * in     the store, the address of the sign-in, and a connection to its authorization server
 * out    an Authorization: headers, renewed before they expire or when a server refuses a request
 * never  renews twice at the same time, here or in another process; retries after a final refusal; retries at once when
 *        the authorization server could not be reached; withholds a token because of what our clock says
 */
import { createRedactor } from '../base/redact.ts'
import type { Secret } from '../base/secret.ts'
import { wantsMoreScopes } from '../model/challenge.ts'
import type { AuthorizationLimits } from '../model/leeway.ts'
import { NOT_RENEWED, type NetworkFailure } from '../model/network.ts'
import type { Authorization, Challenge, Kept, Renewal, SignIn, SignInQuery } from '../model/sign-in.ts'
import type { AloneOutcome } from '../pipeline/authorize/alone.ts'
import { createGuardedFetch } from '../pipeline/authorize/guarded-fetch.ts'
import { Proofs } from '../pipeline/authorize/proofs.ts'
import { afterRenewal, canRenew, renewTokens, type Renewed } from '../pipeline/authorize/renew.ts'
import { toCrashText } from '../problem/crash-text.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { OpenSignInStore } from './sign-in-store.ts'

export interface HeldOptions {
  readonly world: World
  readonly store: OpenSignInStore
  readonly wish: SignInQuery
  readonly account: string
  /** What the entry allows beyond the usual rules for requests, as it is now. */
  readonly leeway: AuthorizationLimits
  /** For an entry that needs no user: makes a new sign-in when none works. */
  readonly alone?: Alone | undefined
}

export interface Alone {
  /** The client that the entry signs in as. A sign-in of another client at the same address is not for this entry. */
  readonly clientId: string | undefined
  /** `knownIssuer`: the issuer of the last sign-in, if there was one. Throws a ProblemError. */
  signIn(challenge: Challenge, knownIssuer: string | undefined): Promise<AloneOutcome>
}

/**
 * This long before the token expires by our clock, it is renewed in the background. Requests use the old token
 * meanwhile.
 */
const AHEAD_MS = 60_000

/** This long before the token expires, a request waits for the new one. */
const OVER_MS = 5000

/** A younger token is not renewed because of the clock: some servers say that their tokens last no time at all. */
const YOUNG_MS = 30_000

/** A younger token that a server refuses is not renewed: the server would refuse another one, too. */
const FRESH_MS = 5000

const QUIET_MS = { first: 1000, most: 30_000 }

/** A server may still quote tokens that were replaced, so they are redacted, too. */
const REMEMBERED = 20

const NONE: readonly string[] = []

/** Without a mark, the sign-in is in no store. */
type Held = Omit<Kept, 'mark'> & Partial<Pick<Kept, 'mark'>>

export class HeldSignIn implements Authorization {
  readonly #options: HeldOptions
  #account: string
  #signIn: SignIn | undefined
  /** The mark of the last state that was read or written. */
  #mark: string | undefined
  #headers = NONE
  /** For tokens that are bound to a key. */
  readonly #proofs: Proofs
  /** Undefined: no request has needed it yet. */
  #loading: Promise<void> | 'over' | undefined
  /** The renewal in progress, for all requests that need it. */
  #renewal: Promise<Renewal> | undefined
  /** When this process got the tokens from the authorization server. 0: they come from the store. */
  #givenAt = 0
  /** The authorization server could not be reached, and is left alone until then. */
  #outage: { readonly failure: NetworkFailure; readonly count: number; readonly until: number } | undefined
  #trouble: string | undefined
  #secrets: readonly Secret[] = []
  #redactor: ((text: string) => string) | undefined

  constructor(options: HeldOptions) {
    this.#options = options
    this.#account = options.account
    this.#proofs = new Proofs({ keys: options.world.keys, now: () => this.#now() })
  }

  get account(): string {
    return this.#account
  }

  prepare(): Promise<void> | undefined {
    if (this.#loading === 'over') return this.#unlessOver()
    this.#loading ??= this.#load().then(() => this.#unlessOver())
    return this.#loading
  }

  headersFor(request: { readonly method: string; readonly url: string }): readonly string[] {
    if (this.#isDue(AHEAD_MS)) void this.#renewOnce(undefined)
    const { prover } = this.#proofs
    if (prover === undefined || this.#headers.length === 0) return this.#headers
    const accessToken = this.#signIn!.tokens.access.reveal()
    return [...this.#headers, 'dpop', prover.proofOf({ ...request, accessToken })]
  }

  async renew(challenge: Challenge, refused: readonly string[]): Promise<Renewal> {
    const isOther = (): boolean => this.#headers.length > 0 && this.#headers[1] !== refused[1]
    // The server may have refused the proof, not the token.
    if (isOther() || this.#proofs.learn(challenge, this.#options.wish.url)) return 'renewed'
    if (challenge.status === 403) {
      if (!wantsMoreScopes(challenge)) return 'refused'
      // Perhaps the user signed in for more scopes meanwhile.
      await this.#load()
      if (isOther()) return 'renewed'
      await this.#noteWanted(challenge.scopes)
      return 'refused'
    }
    const now = this.#now()
    if (this.#outage !== undefined && now < this.#outage.until) return this.#outage.failure
    if (refused.length > 0 && now - this.#givenAt < FRESH_MS) return 'refused'
    return this.#renewOnce(challenge)
  }

  redact(text: string): string {
    this.#redactor ??= createRedactor(this.#secrets)
    return this.#redactor(text)
  }

  isOutdated(): boolean {
    return this.#options.store.markOf(this.#options.wish) !== this.#mark
  }

  whyNot(): string | undefined {
    if (this.#trouble !== undefined) return this.#trouble
    if (this.#signIn === undefined) return undefined
    const { ended, tokens } = this.#signIn
    const end = isOver(this.#signIn, this.#now()) ? `expired on ${toDay(tokens.expiresAt!)}` : undefined
    if (ended !== undefined)
      return `the saved sign-in ${end === undefined ? '' : `${end} and `}could not be renewed`
    if (canRenew(this.#signIn)) return undefined
    return end === undefined ? undefined : `the saved sign-in ${end}, and there is nothing to renew it with`
  }

  /** For transports that take the current token once. */
  get token(): Secret | undefined {
    return this.#headers.length === 0 ? undefined : this.#signIn?.tokens.access
  }

  #now(): number {
    return this.#options.world.clock.now()
  }

  #unlessOver(): Promise<void> | undefined {
    return this.#isDue(OVER_MS) ? this.#renewOnce(undefined).then(() => undefined) : undefined
  }

  /** Whether the token has expired, or nearly so, and can be renewed. */
  #isDue(marginMs: number): boolean {
    const expiresAt = this.#signIn?.tokens.expiresAt
    if (expiresAt === undefined || this.#signIn!.ended !== undefined) return false
    const now = this.#now()
    if (now < expiresAt - marginMs || now < (this.#outage?.until ?? 0) || now - this.#givenAt < YOUNG_MS)
      return false
    return canRenew(this.#signIn!)
  }

  /** Takes what the store has now. Never rejects. */
  async #load(): Promise<void> {
    try {
      this.#take(await this.#options.store.findKept(this.#options.wish))
      this.#trouble = undefined
    } catch (error) {
      this.#trouble = toTrouble(error)
    }
    this.#loading = 'over'
  }

  #take(kept: Held | undefined): void {
    const signIn = kept === undefined || !this.#isOurs(kept.signIn) ? undefined : kept.signIn
    this.#signIn = signIn
    this.#mark = kept?.mark
    this.#headers = signIn === undefined ? NONE : toHeaders(signIn)
    if (signIn === undefined) return
    this.#proofs.take(signIn.tokens)
    const { access, refresh, dpopKey } = signIn.tokens
    const fresh = [access, refresh, dpopKey, signIn.client.secret].filter((one) => one !== undefined)
    this.#secrets = [...this.#secrets, ...fresh].slice(-REMEMBERED)
    this.#redactor = undefined
  }

  /**
   * An entry that needs no user names its client. Elsewhere the client of any sign-in fits. A token that a user brought
   * names no client, and fits both.
   */
  #isOurs({ client }: SignIn): boolean {
    const { alone } = this.#options
    return alone === undefined || client.id === '' || client.id === alone.clientId
  }

  #renewOnce(challenge: Challenge | undefined): Promise<Renewal> {
    this.#renewal ??= this.#renew(challenge).finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  /** Never rejects. */
  async #renew(challenge: Challenge | undefined): Promise<Renewal> {
    const before = this.#headers[1]
    const isOther = (): boolean => this.#headers.length > 0 && this.#headers[1] !== before
    try {
      const failure = await this.#ask()
      if (isOther() && !this.#isSpent()) return 'renewed'
      if (failure !== undefined) return this.#fail(failure)
      const { alone } = this.#options
      const silence =
        challenge === undefined || alone === undefined ? undefined : await this.#askAlone(alone, challenge)
      if (silence !== undefined) return this.#fail(silence)
      return isOther() ? 'renewed' : 'refused'
    } catch (error) {
      if (isOther()) return 'renewed'
      // The process that holds the lock hangs, which says nothing about the sign-in.
      if (isLocked(error)) return this.#fail(this.#toDelay())
      this.#trouble = toTrouble(error)
      return 'refused'
    }
  }

  /** By our clock, unless the token is new: some servers say that their tokens last no time at all. */
  #isSpent(): boolean {
    const now = this.#now()
    return this.#signIn !== undefined && isOver(this.#signIn, now) && now - this.#givenAt >= YOUNG_MS
  }

  #toDelay(): NetworkFailure {
    const { url } = this.#options.wish
    const message = 'another process has been at it for too long'
    return { code: NOT_RENEWED, message, ...(url === undefined ? {} : { host: new URL(url).host }) }
  }

  /** Throws what the store throws. */
  async #ask(): Promise<NetworkFailure | undefined> {
    const { store, wish } = this.#options
    // The user may have signed in, signed out, or signed in again.
    const found = await store.findKept(wish)
    // With another account, a session of its own is needed.
    if (found !== undefined && this.#signIn !== undefined && found.account !== this.account) return undefined
    const refused = this.#headers[1]
    this.#take(found)
    if (found === undefined || this.#signIn === undefined) return undefined
    const before = this.#headers[1]
    // An expired token would be refused as well, and after two refusals a third try is useless.
    if (before !== refused && !isOver(found.signIn, this.#now())) return undefined
    const { key } = found.signIn
    let answer: Renewed | undefined
    let given: SignIn | undefined
    const keep = store.renewing(key, async (now) => {
      // Another process was quicker and left this.
      if (now === undefined || now.ended !== undefined || toHeaders(now)[1] !== before) return undefined
      if (!canRenew(now)) return undefined
      answer = await this.#askGiver(now)
      given = afterRenewal(now, answer, this.#now())
      return given
    })
    let trouble: string | undefined
    try {
      this.#take(await keep)
    } catch (error) {
      // The tokens are new but could not be stored. The old ones are worth nothing any more.
      if (given === undefined) throw error
      trouble = toTrouble(error)
      this.#take({ ...found, signIn: given })
    }
    if (answer?.kind === 'unavailable') return toFailure(found.signIn, answer.why)
    this.#settle(answer)
    this.#trouble = trouble
    return undefined
  }

  #askGiver(signIn: SignIn): Promise<Renewed> {
    const { world, leeway } = this.#options
    const serverUrl = signIn.key.url ?? signIn.endpoints.token
    const fetch = createGuardedFetch(world, { serverUrl, ...leeway })
    return renewTokens(signIn, { fetch, now: () => world.clock.now(), prover: this.#proofs.prover })
  }

  /** Throws what `alone` and the store throw. */
  async #askAlone(alone: Alone, challenge: Challenge): Promise<NetworkFailure | undefined> {
    const { store, wish } = this.#options
    let outcome: AloneOutcome | undefined
    const obtain = store.obtaining(wish, async (now) => {
      // Another process was quicker and left this.
      if (now !== undefined && this.#isSuccessor(now.signIn)) return undefined
      outcome = await alone.signIn(challenge, this.#signIn?.key.issuer)
      return outcome.kind === 'signed-in' ? outcome.signIn : undefined
    })
    let kept: Held | undefined
    let trouble: string | undefined
    try {
      kept = await obtain
    } catch (error) {
      // The sign-in is new, and the store says why it cannot be kept. It is valid as long as this process runs.
      if (outcome?.kind !== 'signed-in' || !(error instanceof ProblemError)) throw error
      trouble = toTrouble(error)
      kept = { signIn: outcome.signIn, account: this.#account }
    }
    if (outcome?.kind === 'unavailable')
      return { code: NOT_RENEWED, message: outcome.why, host: outcome.host }
    // Takes the account over. Otherwise the new sign-in would count as one of another account, and never be renewed.
    this.#account = kept!.account
    this.#take(kept)
    this.#settle(outcome === undefined ? undefined : { kind: 'tokens', tokens: outcome.signIn.tokens })
    this.#trouble = trouble
    return undefined
  }

  /** Whether the sign-in can replace the refused one: another token, of the same client, that has not expired. */
  #isSuccessor(signIn: SignIn): boolean {
    const [, value] = toHeaders(signIn)
    if (value === undefined || value === this.#headers[1]) return false
    return this.#isOurs(signIn) && !isOver(signIn, this.#now())
  }

  #settle(answer: Renewed | undefined): void {
    this.#outage = undefined
    this.#trouble = undefined
    if (answer?.kind === 'tokens') this.#givenAt = this.#now()
  }

  #fail(failure: NetworkFailure): NetworkFailure {
    const count = this.#outage?.count ?? 0
    const until = this.#now() + Math.min(QUIET_MS.first * 2 ** count, QUIET_MS.most)
    this.#outage = { failure, count: count + 1, until }
    return failure
  }

  /** For the next sign-in. Written once: the next request would only repeat it. */
  async #noteWanted(scopes: readonly string[]): Promise<void> {
    const known = [...(this.#signIn?.wantedScopes ?? []), ...(this.#signIn?.tokens.scopes ?? [])]
    const missing = scopes.filter((scope) => !known.includes(scope))
    if (this.#signIn === undefined || missing.length === 0) return
    try {
      const kept = await this.#options.store.renewing(this.#signIn.key, async (now) =>
        now === undefined ? undefined : { ...now, wantedScopes: [...(now.wantedScopes ?? []), ...missing] },
      )
      this.#take(kept)
    } catch (error) {
      this.#trouble = toTrouble(error)
    }
  }
}

/** Name, value, as every request carries them. */
function toHeaders({ tokens, ended }: SignIn): readonly string[] {
  const access = tokens.access.reveal()
  const scheme = tokens.type === 'dpop' ? 'DPoP' : 'Bearer'
  return ended !== undefined || access === '' ? NONE : ['authorization', `${scheme} ${access}`]
}

function toFailure({ endpoints }: SignIn, why: string): NetworkFailure {
  return { code: NOT_RENEWED, message: why, host: new URL(endpoints.token).host }
}

function toTrouble(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.message
  // The text may quote a token that was received but never taken, which `redact` does not know.
  return toCrashText(error instanceof Error ? error.message : String(error))
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ELOCKED'
}

function isOver({ tokens }: SignIn, now: number): boolean {
  return tokens.expiresAt !== undefined && tokens.expiresAt <= now
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
