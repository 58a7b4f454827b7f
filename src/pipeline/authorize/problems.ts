/**
 * problems: explains why a sign-in failed, in words that its user can act on.
 *
 * never  puts words of another party into the first line; puts a code, verifier or secret into any line
 */
import { toCommandLine } from '../../base/command-line.ts'
import { toPrintable } from '../../base/printable.ts'
import { createRedactor } from '../../base/redact.ts'
import { SECRET_MARK } from '../../base/secret.ts'
import type { Problem } from '../../model/problem.ts'
import { TOKEN_SHAPE } from '../../problem/mask.ts'
import { adviseToAllow } from '../../problem/plain-http.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { SignInContext } from './errand.ts'
import { describeFault } from './faults.ts'
import { GuardError } from './guarded-fetch.ts'

/** Thrown by a step that cannot go on. */
export class AuthorizeError extends Error {
  readonly notes: readonly string[]
  readonly hints: readonly string[]
  /** The error code of OAuth, such as `invalid_grant`. */
  readonly oauthCode: string | undefined

  constructor(message: string, more: Partial<Pick<AuthorizeError, 'notes' | 'hints' | 'oauthCode'>> = {}) {
    super(message)
    this.name = 'AuthorizeError'
    this.notes = more.notes ?? []
    this.hints = more.hints ?? []
    this.oauthCode = more.oauthCode
  }
}

export function timedOut(server: string, way: 'browser' | 'paste' | 'device'): Problem {
  return createProblem({
    code: 'authorize/timed-out',
    message: 'OAuth flow timed out. Please try again.',
    hints:
      way === 'browser'
        ? [
            `on a machine with no browser, run \`${loginCommand(server)} --no-browser\` and follow the link it prints`,
          ]
        : [],
  })
}

/** Neither the entry nor the server says where to sign in. */
export function noEndpoints(server: string, looked: readonly string[]): Problem {
  return createProblem({
    code: 'authorize/no-endpoints',
    message: `Authentication required for "${server}", but OAuth endpoints could not be discovered`,
    notes: looked.map((place) => `looked at ${place}`),
    hints: [
      'if it takes a token, give its entry one: `"headers": { "Authorization": "Bearer …" }`',
      'if you know where to sign in, say so in its entry: `"oauth": { "authorizationUrl": "…", "tokenUrl": "…" }`',
    ],
  })
}

/** The error as a Problem. A ProblemError stays as it is. The cause is left out, because it may quote an answer. */
export function toProblemError(error: unknown, errand: SignInContext): unknown {
  if (error instanceof ProblemError || errand.signal?.aborted === true) return error
  const { why, notes = [], hints = [] } = explain(error, errand)
  const redact = createRedactor(errand.secrets)
  return new ProblemError(
    createProblem({
      code: 'authorize/failed',
      message: `OAuth authentication failed: ${why}`,
      notes: notes.map((note) => redact(note).replace(TOKEN_SHAPE, SECRET_MARK)),
      hints,
    }),
  )
}

interface Explanation {
  readonly why: string
  readonly notes?: readonly string[]
  readonly hints?: readonly string[]
}

function explain(error: unknown, { sdk, server, lastAsked }: SignInContext): Explanation {
  if (error instanceof AuthorizeError) return { why: error.message, notes: error.notes, hints: error.hints }
  if (error instanceof GuardError) return { why: error.message, hints: adviseOnGuard(error) }
  if (error instanceof sdk.IssuerMismatchError) {
    return {
      why:
        error.kind === 'metadata'
          ? 'the authorization server describes itself as another one than was asked'
          : 'the answer came from another authorization server than the one that was asked',
      notes: [
        `expected ${error.expected}`,
        error.received === undefined ? 'the answer did not say whose it is' : `got ${quote(error.received)}`,
      ],
      hints: ['nothing was sent there; if this happens again, somebody may be trying to get at your account'],
    }
  }
  if (error instanceof sdk.RegistrationRejectedError) {
    return {
      why: `the authorization server does not register Plugboard as a client (HTTP ${error.status})`,
      notes: saying(wordsIn(error.body)),
      hints: adviseOnClient(server),
    }
  }
  if (error instanceof sdk.OAuthError) return explainOAuth(error, server)
  if (error instanceof sdk.InsecureTokenEndpointError) {
    return { why: 'its token endpoint is not https, and secrets would be sent there for all to read' }
  }
  const asked = lastAsked()
  const faults = describeFault(error) ?? saying(error instanceof Error ? error.message : String(error))
  return {
    why: 'the authorization server gave an answer that is not what the specification asks for',
    notes: asked === undefined ? faults : [`asked ${asked}`, ...faults],
  }
}

/** Known codes have a fixed text here; unknown codes come from an untrusted party. */
const KNOWN_CODES =
  /^(?:access_denied|authorization_pending|expired_token|invalid_(?:client|client_metadata|dpop_proof|grant|redirect_uri|request|scope|target|token)|interaction_required|login_required|server_error|slow_down|temporarily_unavailable|unauthorized_client|unsupported_(?:grant_type|response_type|token_type))$/

export function explainOAuth(
  error: { readonly code: string; readonly message: string },
  server: string,
): Explanation {
  const isKnown = KNOWN_CODES.test(error.code)
  const notes = isKnown ? [] : [`it calls it ${quote(error.code)}`]
  return {
    why: isKnown ? error.code : 'the authorization server refused',
    notes: [...notes, ...saying(error.message === error.code ? '' : error.message)],
    hints:
      error.code === 'invalid_client' || error.code === 'unauthorized_client' ? adviseOnClient(server) : [],
  }
}

function adviseOnClient(server: string): readonly string[] {
  return [
    `register a client there yourself, and name it in the entry of \`${server}\`: \`"oauth": { "clientId": "…" }\``,
  ]
}

function adviseOnGuard({ refusal, url }: GuardError): readonly string[] {
  return refusal === 'not-https' ? adviseToAllow(url) : []
}

function wordsIn(body: string): string {
  try {
    const { error, error_description: description } = JSON.parse(body) as Record<string, unknown>
    return [error, description].filter((one) => typeof one === 'string').join(': ')
  } catch {
    return '' // a web page, whose source does not help the user
  }
}

function saying(words: string): readonly string[] {
  return words === '' ? [] : [`it said: ${quote(words)}`]
}

/** Short, and harmless to a terminal. */
function quote(words: string): string {
  return `"${toPrintable(words.replace(/\s+/g, ' ').trim()).slice(0, 300)}"`
}

export function loginCommand(server: string): string {
  return toCommandLine('plugboard login', [server], 'linux')
}
