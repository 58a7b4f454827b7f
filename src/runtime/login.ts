/**
 * login: signs somebody in at a server, with them at the keyboard.
 *
 * in     a server, where sign-ins are kept, and how its user can be reached
 * out    a sign-in in the store, from where it is read like any other input; or that the server wants none
 * never  registers before the port is bound that is registered; keeps a port or a page open when it is over, however it ends
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
import { createErrand, type Errand } from '../pipeline/authorize/errand.ts'
import { GuardError } from '../pipeline/authorize/guarded-fetch.ts'
import { probe } from '../pipeline/authorize/probe.ts'
import { timedOut, toProblemError } from '../pipeline/authorize/problems.ts'
import { chooseScopes } from '../pipeline/authorize/scopes.ts'
import type { ResolveContext } from '../pipeline/resolve/resolve.ts'
import { resolveSignIn, type ResolvedSignIn } from '../pipeline/resolve/sign-in.ts'
import { ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { openCallbackListener, type CallbackListener } from './callback-listener.ts'
import type { LoginHost, LoginWish } from './login-host.ts'
import { hasOwnHeader, noAddress, noOAuth, plainHttp, unreachable } from './login-problems.ts'
import type { ServerLog } from './server-logs.ts'

export interface LoginRequest extends LoginWish {
  readonly server: AdmittedServer
  readonly world: World
  readonly resolving: ResolveContext
  readonly store: SignInStore
  readonly log: Pick<ServerLog, 'write'>
}

export type LoginOutcome =
  | { readonly kind: 'signed-in'; readonly signIn: SignIn }
  /** It answers without. */
  | { readonly kind: 'not-needed' }

export const LOGIN_MS = 5 * 60_000

/** Throws a ProblemError; aborted, as its signal says. */
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
    // Before a browser is opened: a sign-in that is lost at once would have to be made again.
    request.store.requireFolder()
    const signIn = await obtain(errand, request, host)
    await request.store.save(signIn)
    return { kind: 'signed-in', signIn }
  } catch (error) {
    throw toProblemError(error, errand)
  }
}

/** Throws `authorize/no-oauth`, `authorize/own-header`, or the first thing that is missing in the entry. */
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

/** What the server asked for since the last sign-in, and what that one had: a new one must not have less. */
async function findWanted({ store }: LoginRequest, plan: SignInPlan): Promise<readonly string[] | undefined> {
  const { url, credentialId } = plan
  const before = await store.find({ url, ...(credentialId === undefined ? {} : { credentialId }) })
  if (before?.wantedScopes === undefined) return undefined
  return [...new Set([...(plan.scopes ?? []), ...before.tokens.scopes, ...before.wantedScopes])]
}

/** Throws AuthorizeError, GuardError, what the SDK throws. */
async function obtain(errand: Errand, request: LoginRequest, host: LoginHost): Promise<SignIn> {
  const { grant } = errand.plan
  if (canSignInAlone(grant)) return carryOut(errand, await discover(errand), grant)
  if (request.way === 'device' || grant.kind === 'device') {
    return signInByDevice(errand, await discover(errand), (code) => host.onStep({ kind: 'device', code }))
  }
  // Before anything is registered: what is registered is this very port.
  await using listener = await openCallbackListener(request.world.loopback, errand.plan)
  const page = await preparePage(errand, listener, host)
  const answer = await waitFor({ errand, request, host, listener, page })
  host.onStep({ kind: 'exchanging', issuer: page.server.issuer })
  // Waited for here: the port is still to tell a second one that it comes too late.
  return await exchangeCode(errand, page, answer)
}

async function preparePage(
  errand: Errand,
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
  readonly errand: Errand
  readonly request: LoginRequest
  readonly host: LoginHost
  readonly listener: CallbackListener
  readonly page: OpenPage
}

/** Until somebody comes back from the page, in either way. */
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
