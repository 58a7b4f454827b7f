/**
 * login: signs the user in at a server, while the user is at the keyboard.
 *
 * in     a server, the store for sign-ins, and how to reach the user
 * out    a sign-in in the store, which is read from there like any other input; or that the server needs none
 * never  registers a port that is not bound yet; keeps a port or a page open after the login, however it ends
 */
import { untilAborted } from '../base/until-aborted.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import { mayCarryTokens } from '../model/definition.ts'
import type { Challenge, SignIn, SignInPlan, SignInStore } from '../model/sign-in.ts'
import { canSignInAlone, carryOut } from '../pipeline/authorize/alone.ts'
import { judgePasted, type CallbackAnswer } from '../pipeline/authorize/callback.ts'
import { chooseClient } from '../pipeline/authorize/client.ts'
import { exchangeCode, openPage, type OpenPage } from '../pipeline/authorize/code.ts'
import { signInByDevice } from '../pipeline/authorize/device.ts'
import { discover, isDescribed, type AuthServer } from '../pipeline/authorize/discover.ts'
import { createErrand, type SignInContext } from '../pipeline/authorize/errand.ts'
import { GuardError } from '../pipeline/authorize/guarded-fetch.ts'
import { probe } from '../pipeline/authorize/probe.ts'
import { timedOut, toProblemError } from '../pipeline/authorize/problems.ts'
import { chooseScopes } from '../pipeline/authorize/scopes.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import { resolveSignIn, type ResolvedSignIn } from '../pipeline/resolve/sign-in.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { openCallbackListener, type CallbackListener } from './callback-listener.ts'
import type { LoginHost, LoginArguments } from './login-host.ts'
import { hasOwnHeader, noAddress, noOAuth, plainHttp, unreachable } from './login-problems.ts'
import type { ServerLog } from './server-logs.ts'

export interface LoginRequest extends LoginArguments {
  readonly server: AdmittedServer
  readonly world: World
  readonly resolving: ResolveContext
  readonly store: SignInStore
  readonly log: Pick<ServerLog, 'write'>
}

export type LoginOutcome =
  | { readonly kind: 'signed-in'; readonly signIn: SignIn }
  /** The server answers without a sign-in. */
  | { readonly kind: 'not-needed' }

export const LOGIN_MS = 5 * 60_000

/** Throws a ProblemError; when aborted, the reason of its signal. */
export async function login(request: LoginRequest, host: LoginHost): Promise<LoginOutcome> {
  const { world, server, timeoutMs = LOGIN_MS } = request
  const timeout = new AbortController()
  const cancel = timeoutMs === 0 ? () => undefined : world.clock.after(timeoutMs, () => timeout.abort())
  const signals = request.signal === undefined ? [] : [request.signal]
  try {
    return await run({ ...request, signal: AbortSignal.any([timeout.signal, ...signals]) }, host)
  } catch (error) {
    throw timeout.signal.aborted ? new ProblemError(timedOut(server.name, request.way)) : error
  } finally {
    cancel()
  }
}

async function run(request: LoginRequest, host: LoginHost): Promise<LoginOutcome> {
  const resolved = await requireSignIn(request)
  const asked = await askServer(request, resolved, host)
  const { transport } = request.server
  if (!mayCarryTokens(transport, resolved.plan.url)) {
    if (asked.isOpen) return { kind: 'not-needed' }
    throw new ProblemError(plainHttp(request.server, resolved.plan.url))
  }
  const errand = await createErrand({
    ...request,
    server: request.server.name,
    plan: resolved.plan,
    challenge: asked.challenge,
    scopes: request.scopes ?? (await findWanted(request, resolved.plan)),
  })
  errand.secrets.push(...resolved.secrets)
  try {
    if (asked.isOpen && !(await isDescribed(errand))) return { kind: 'not-needed' }
    // Checked before the browser opens: the user would have to repeat a sign-in that cannot be stored.
    request.store.requireFolder()
    const signIn = await obtain(errand, request, host)
    await request.store.save(signIn)
    return { kind: 'signed-in', signIn }
  } catch (error) {
    throw toProblemError(error, errand)
  }
}

/** Throws `authorize/no-oauth`, `authorize/own-header`, or the first problem of the entry. */
async function requireSignIn({ server, resolving }: LoginRequest): Promise<ResolvedSignIn> {
  const resolved = await resolveSignIn(server, resolving)
  if (resolved === undefined) throw new ProblemError(noOAuth(server))
  const fault = resolved.problems.find(({ severity }) => severity === 'error')
  if (fault !== undefined) throw new ProblemError(fault)
  const isOwn = [...resolved.headers.keys()].some((name) => name.toLowerCase() === 'authorization')
  if (isOwn) throw new ProblemError(hasOwnHeader(server))
  return resolved
}

interface Asked {
  readonly isOpen: boolean
  readonly challenge?: Challenge | undefined
}

/** Throws `authorize/unreachable`, `authorize/no-address`. */
async function askServer(
  request: LoginRequest,
  { plan, headers, problems }: ResolvedSignIn,
  host: LoginHost,
): Promise<Asked> {
  const { server, world, challenge, signal } = request
  if (challenge !== undefined) return { isOpen: false, challenge }
  if (!URL.canParse(plan.url)) throw new ProblemError(noAddress(server, problems))
  host.onStep({ kind: 'asking-server', host: new URL(plan.url).host })
  const transport = server.transport.type === 'sse' ? 'sse' : 'http'
  const asking = probe(world, { url: plan.url, transport, headers, signal })
  const answer = await asking.catch((error: unknown) => {
    throw error instanceof GuardError ? new ProblemError(unreachable(server, error.message)) : error
  })
  return {
    isOpen: answer.kind === 'open',
    ...(answer.kind === 'challenged' ? { challenge: answer.challenge } : {}),
  }
}

/**
 * The scopes that the server asked for since the last sign-in, and those of that sign-in: a new sign-in must not have
 * fewer.
 */
async function findWanted({ store }: LoginRequest, plan: SignInPlan): Promise<readonly string[] | undefined> {
  const { url, credentialId } = plan
  const before = await store.find({ url, ...(credentialId === undefined ? {} : { credentialId }) })
  if (before?.wantedScopes === undefined) return undefined
  return [...new Set([...(plan.scopes ?? []), ...before.tokens.scopes, ...before.wantedScopes])]
}

/** Throws AuthorizeError, GuardError, and errors of the SDK. */
async function obtain(errand: SignInContext, request: LoginRequest, host: LoginHost): Promise<SignIn> {
  const { grant } = errand.plan
  if (canSignInAlone(grant)) return carryOut(errand, await discover(errand), grant)
  if (request.way === 'device' || grant.kind === 'device') {
    return signInByDevice(errand, await discover(errand), (code) => host.onStep({ kind: 'device', code }))
  }
  // Before the registration, which needs this very port.
  await using listener = await openCallbackListener(request.world.loopback, errand.plan)
  const page = await preparePage(errand, listener, host)
  const answer = await waitFor({ errand, request, host, listener, page })
  host.onStep({ kind: 'exchanging', issuer: page.server.issuer })
  // Awaited here: the port still has to tell a second answer that it is too late.
  return await exchangeCode(errand, page, answer)
}

async function preparePage(
  errand: SignInContext,
  { redirectUri }: CallbackListener,
  host: LoginHost,
): Promise<OpenPage> {
  const server: AuthServer = await discover(errand)
  const scopes = chooseScopes(errand, server)
  host.onStep({ kind: 'registering', issuer: server.issuer })
  const wish = { redirectUri, grantTypes: ['authorization_code', 'refresh_token'], scopes }
  const client = await chooseClient(errand, server, wish)
  return openPage(errand, { server, client }, { redirectUri, scopes })
}

interface Wait {
  readonly errand: SignInContext
  readonly request: LoginRequest
  readonly host: LoginHost
  readonly listener: CallbackListener
  readonly page: OpenPage
}

/** Waits until the answer of the page arrives, from the browser or from the keyboard. */
async function waitFor({ errand, request, host, listener, page }: Wait): Promise<CallbackAnswer> {
  const { url, redirectUri } = page
  const onIgnored = (why: string): void => host.onStep({ kind: 'ignored', why })
  const back = listener.wait(page, onIgnored)
  let stopTyping = (): void => undefined
  const pasted = new Promise<CallbackAnswer>((resolve) => {
    const judge = (line: string): void => {
      if (line.trim() === '') return
      const judged = judgePasted(line, page)
      if (judged.kind === 'answer') resolve(judged.answer)
      else onIgnored(judged.why)
    }
    stopTyping = host.onTyped?.(judge) ?? stopTyping
  })
  try {
    const named = page.client.from === 'entry' ? { clientId: page.client.id } : {}
    host.onStep({ kind: 'page', url, redirectUri, ...named, way: request.way })
    if (request.way === 'browser') await showPage(request, host, url)
    return await untilAborted(Promise.race([back, pasted]), errand.signal)
  } finally {
    stopTyping()
  }
}

async function showPage({ world, log }: LoginRequest, host: LoginHost, url: string): Promise<void> {
  const outcome = await world.browser.open(url)
  if (outcome.kind === 'no-opener')
    log.write(`mcp.browser-open-no-opener: tried ${outcome.tried.join(', ')}`, 'event')
  host.onStep({ kind: 'browser', outcome })
}
