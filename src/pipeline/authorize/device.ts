/**
 * device: the grant for machines without a browser (RFC 8628): the user types a short code on another device.
 */
import { isObject } from '../../base/is-object.ts'
import { Secret } from '../../base/secret.ts'
import type { DeviceCode, SignIn } from '../../model/sign-in.ts'
import { chooseClient } from './client.ts'
import { fieldOf, type AuthServer } from './discover.ts'
import type { SignInContext } from './errand.ts'
import { AuthorizeError, explainOAuth } from './problems.ts'
import { requireRefusal, type OAuthRefusal } from './refusals.ts'
import { chooseScopes } from './scopes.ts'
import { requestTokens, type Parties } from './tokens.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

interface Asked extends DeviceCode {
  readonly deviceCode: Secret
  readonly intervalMs: number
}

/** Throws AuthorizeError, GuardError, and the errors of the SDK. */
export async function signInByDevice(
  errand: SignInContext,
  server: AuthServer,
  onCode: (code: DeviceCode) => void,
): Promise<SignIn> {
  const endpoint = fieldOf(server.metadata, 'device_authorization_endpoint')
  if (typeof endpoint !== 'string') {
    throw new AuthorizeError('its authorization server does not offer sign-in by device code', {
      hints: ['leave `--device` out; `--no-browser` works on machines without a browser, too'],
    })
  }
  const scopes = chooseScopes(errand, server)
  const client = await chooseClient(errand, server, { grantTypes: [GRANT, 'refresh_token'], scopes })
  const parties = { server, client }
  const asked = await ask(errand, parties, { endpoint, scopes })
  errand.secrets.push(asked.deviceCode)
  onCode(asked)
  return poll(errand, parties, { asked, scopes })
}

async function ask(
  errand: SignInContext,
  { server, client }: Parties,
  { endpoint, scopes }: { readonly endpoint: string; readonly scopes: readonly string[] | undefined },
): Promise<Asked> {
  const body = new URLSearchParams({ client_id: client.id })
  if (client.secret !== undefined) body.set('client_secret', client.secret.reveal())
  if (scopes !== undefined) body.set('scope', scopes.join(' '))
  if (server.resource !== undefined) body.set('resource', server.resource)
  const response = await errand.fetch(endpoint, { method: 'POST', body })
  if (!response.ok) throw refused(await requireRefusal(response, endpoint), errand)
  return parseAsked(await response.json())
}

function parseAsked(value: unknown): Asked {
  const asked = isObject(value) ? value : {}
  const { device_code: deviceCode, user_code: userCode, verification_uri: url } = asked
  const completeUrl = asked['verification_uri_complete']
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof url !== 'string') {
    throw new AuthorizeError('its authorization server gave no code to type in')
  }
  return {
    deviceCode: new Secret(deviceCode),
    userCode,
    url,
    ...(typeof completeUrl === 'string' ? { completeUrl } : {}),
    expiresInMs: secondsOf(asked['expires_in'], 900) * 1000,
    intervalMs: secondsOf(asked['interval'], 5) * 1000,
  }
}

function secondsOf(value: unknown, usual: number): number {
  return typeof value === 'number' && value > 0 && value < 86_400 ? value : usual
}

/** The step that RFC 8628 §3.5 demands. */
const SLOWER_MS = 5000

interface Poll {
  readonly asked: Asked
  readonly scopes: readonly string[] | undefined
}

async function poll(errand: SignInContext, parties: Parties, { asked, scopes }: Poll): Promise<SignIn> {
  const { sdk, world } = errand
  const end = world.clock.now() + asked.expiresInMs
  let { intervalMs } = asked
  while (world.clock.now() < end) {
    await pause(errand, intervalMs)
    const params = new URLSearchParams({ grant_type: GRANT, device_code: asked.deviceCode.reveal() })
    try {
      return await requestTokens(errand, parties, { params, scopes })
    } catch (error) {
      // Two error codes mean that the user has not finished; any other error ends the wait.
      if (!(error instanceof sdk.OAuthError)) throw error
      if (error.code === 'slow_down') intervalMs += SLOWER_MS
      else if (error.code !== 'authorization_pending') throw refused(error, errand)
    }
  }
  throw new AuthorizeError('the code was not typed in before it expired')
}

function refused(error: OAuthRefusal, { server }: SignInContext): AuthorizeError {
  const { why, notes = [], hints = [] } = explainOAuth(error, server)
  return new AuthorizeError(why, { notes, hints, oauthCode: error.code })
}

function pause({ world, signal }: SignInContext, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel()
      reject(signal!.reason as Error)
    }
    const cancel = world.clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
