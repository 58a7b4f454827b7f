/**
 * web: HTTP, as far as discovery needs it.
 */
import type { Web } from '../world.ts'

export const nodeWeb: Web = {
  async get(url, { headers, signal }) {
    const { target, credentials } = splitUrl(url)
    // A redirect would carry the user's headers to whoever the answer names.
    const response = await fetch(target, {
      headers: { ...credentials, ...headers },
      signal,
      redirect: 'error',
    })
    return { status: response.status, text: await response.text() }
  },
}

/** `fetch` takes no URL with a user name in it, and would repeat the password in its complaint. */
function splitUrl(url: string): {
  readonly target: string
  readonly credentials: Readonly<Record<string, string>>
} {
  const target = new URL(url)
  const { username, password } = target
  if (username === '' && password === '') return { target: url, credentials: {} }
  target.username = ''
  target.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    target: target.href,
    credentials: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
  }
}
