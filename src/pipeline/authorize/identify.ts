/**
 * identify: who asks, as the authorization server wants it proven, for a sign-in that is there already.
 *
 * in     a sign-in, and a request to its authorization server that is being made
 * out    the same request, with the client in its headers or its form
 */
import type { Secret } from '../../base/secret.ts'
import type { OAuthClient, SignIn } from '../../model/sign-in.ts'

/** RFC 6749 §2.3, RFC 7523 §2.2. */
export async function identify(
  { client, key, endpoints }: SignIn,
  headers: Record<string, string>,
  form: URLSearchParams,
): Promise<void> {
  const { id, secret, method } = client
  if (method === 'client_secret_basic' && secret !== undefined) {
    headers['authorization'] = toBasic(id, secret)
    return
  }
  form.set('client_id', id)
  if (method === 'client_secret_post' && secret !== undefined) form.set('client_secret', secret.reveal())
  if (method === 'private_key_jwt') await sign(client, form, key.issuer === '' ? endpoints.token : key.issuer)
}

/** Both parts are encoded as in a form before they are joined. */
function toBasic(id: string, secret: Secret): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${btoa(`${encode(id)}:${encode(secret.reveal())}`)}`
}

/** The SDK signs; it is loaded for those who need it. */
async function sign({ id, key }: OAuthClient, form: URLSearchParams, audience: string): Promise<void> {
  if (key === undefined) return
  const { createPrivateKeyJwtAuth } = await import('@modelcontextprotocol/client')
  const { pem, algorithm } = key
  const options = { issuer: id, subject: id, privateKey: pem.reveal(), alg: algorithm, audience }
  await createPrivateKeyJwtAuth(options)(new Headers(), form, audience)
}
