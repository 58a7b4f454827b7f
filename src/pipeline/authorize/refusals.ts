/**
 * refusals: reads a refusal of an authorization server (RFC 6749 §5.2), or finds that it is none.
 *
 * in     an answer that is no success
 * out    its two fields that matter
 * never  passes on the rest, which may hold anything: the SDK would quote it whole
 */
import { isObject } from '../../base/is-object.ts'
import { AuthorizeError } from './problems.ts'

export interface OAuthRefusal {
  readonly code: string
  readonly message: string
}

/** Throws an AuthorizeError for an answer that is no refusal of OAuth. */
export async function requireRefusal(response: Response, url: string): Promise<OAuthRefusal> {
  const refusal = parseRefusal(await response.text())
  if (refusal !== undefined) return refusal
  throw answeredWith(response, url, ['the answer does not say why'])
}

export function answeredWith(
  { status }: Response,
  url: string,
  notes: readonly string[] = [],
): AuthorizeError {
  return new AuthorizeError(`${new URL(url).host} answered with HTTP ${status}`, {
    notes: [`asked ${url}`, ...notes],
  })
}

/**
 * For the SDK: reduces a refusal to its two fields, whatever its status. Any other answer stays as it is. Throws as
 * `requireRefusal`.
 */
export async function tidyRefusal(response: Response, url: string): Promise<Response> {
  const refusal = response.ok
    ? parseRefusal(await response.clone().text())
    : await requireRefusal(response, url)
  if (refusal === undefined) return response
  const body = JSON.stringify({ error: refusal.code, error_description: refusal.message })
  const status = response.ok ? 400 : response.status
  return new Response(body, { status, headers: response.headers })
}

function parseRefusal(text: string): OAuthRefusal | undefined {
  const value = tryJson(text)
  if (!isObject(value) || typeof value['error'] !== 'string' || 'access_token' in value) return undefined
  const { error: code, error_description: description } = value
  return { code, message: typeof description === 'string' ? description : code }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no refusal: the caller describes the answer
  }
}
