/**
 * identify: adds the client's proof of identity to a request of an existing sign-in.
 *
 * in     a sign-in, and a request to its authorization server
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

/** Both parts are form-encoded before they are joined. */
function toBasic(id: string, secret: Secret): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${btoa(`${encode(id)}:${encode(secret.reveal())}`)}`
}

/** The SDK signs. It is loaded only for clients that need a signature. */
async function sign({ id, key }: OAuthClient, form: URLSearchParams, audience: string): Promise<void> {
  if (key === undefined) return
  const { createPrivateKeyJwtAuth } = await import('@modelcontextprotocol/client')
  const { pem, algorithm } = key
  const options = { issuer: id, subject: id, privateKey: pem.reveal(), alg: algorithm, audience }
  await createPrivateKeyJwtAuth(options)(new Headers(), form, audience)
}
