/** elicitation: pages that a server wants the user to open before it carries out a request (error -32042). */
import { isObject } from '../base/is-object.ts'
import { RPC_CODES, type Params, type RpcError } from './message.ts'

/** The code of the problem with a request that has to wait for a page. */
export const NEEDS_PAGE = 'call/needs-page'

/** As a server of 2025-11-25 sends it, with `mode`, `url`, `message` and `elicitationId`. */
export type WantedPage = Params & { readonly url: string }

/** Empty: the error is about something else. */
export function wantedPages({ code, data }: RpcError): readonly WantedPage[] {
  if (code !== RPC_CODES.urlElicitationRequired || !isObject(data)) return []
  const { elicitations } = data
  return Array.isArray(elicitations) ? elicitations.filter(isWantedPage) : []
}

function isWantedPage(value: unknown): value is WantedPage {
  return isObject(value) && typeof value['url'] === 'string' && (value['mode'] ?? 'url') === 'url'
}
