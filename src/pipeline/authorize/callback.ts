/**
 * callback: reads the answer of the sign-in page, which comes through the listener or is pasted by the user.
 *
 * in     a request to our port, or a line of text; the address and state that the sign-in waits for
 * out    an answer, or why it is none; a foreign request does not end the wait
 * never  reads more of a request than it needs to know that it belongs to this sign-in
 */
import { Secret } from '../../base/secret.ts'
import type { LoopbackRequest } from '../../world/world.ts'

export type CallbackAnswer =
  | { readonly kind: 'code'; readonly code: Secret; readonly iss?: string }
  /** The user refused, or the authorization server found a fault in the request. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly iss?: string }

export type Judgement =
  | { readonly kind: 'answer'; readonly answer: CallbackAnswer }
  /** Does not belong to this sign-in. */
  | { readonly kind: 'ignored'; readonly status: number; readonly why: string }

export interface Awaited {
  readonly redirectUri: string
  readonly state: string
}

export function judgeRequest(request: LoopbackRequest, awaited: Awaited): Judgement {
  const expected = new URL(awaited.redirectUri)
  const { method, path, headers } = request
  const url = tryUrl(path, expected.origin)
  if (url === undefined || url.pathname !== expected.pathname) return ignore(404, 'another path')
  if (method !== 'GET') return ignore(405, 'another method than GET')
  // A page that found the port and uses its own host name for it (DNS rebinding).
  if (headers['host'] !== expected.host) return ignore(403, 'another host')
  // Browsers send neither header when a page redirects the user. A script of another origin cannot avoid them.
  if (headers['origin'] !== undefined) return ignore(403, 'a script of another origin')
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'navigate') return ignore(403, 'a script or an image of another origin')
  return judgeParams(url.searchParams, awaited)
}

/**
 * Reads the address that the browser arrived at. Some browsers hide its beginning. Never accepts a bare code: a code
 * does not show which sign-in or user it belongs to, and any word looks like one.
 */
export function judgePasted(text: string, awaited: Awaited): Judgement {
  const [, place = '', query] = /^([^?]*)\?([^#]*)/.exec(text.trim()) ?? []
  const { origin, pathname } = new URL(awaited.redirectUri)
  if (query === undefined || !`${origin}${pathname}`.endsWith(place))
    return ignore(400, `not the whole address that the page ended at (${awaited.redirectUri}?…)`)
  return judgeParams(new URLSearchParams(query), awaited)
}

function judgeParams(params: URLSearchParams, { state }: Awaited): Judgement {
  if (params.get('state') !== state) return ignore(400, 'it belongs to another sign-in (`state` differs)')
  const iss = params.get('iss')
  const from = iss === null ? {} : { iss }
  const [code, error] = [params.get('code'), params.get('error')]
  if (code !== null && code !== '') {
    return { kind: 'answer', answer: { kind: 'code', code: new Secret(code), ...from } }
  }
  if (error === null) return ignore(400, 'neither a code nor an error')
  const message = params.get('error_description') ?? error
  return { kind: 'answer', answer: { kind: 'refused', code: error, message, ...from } }
}

function ignore(status: number, why: string): Judgement {
  return { kind: 'ignored', status, why }
}

function tryUrl(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined // not an address
  }
}
