/**
 * web: HTTP, as far as discovery needs it.
 */
import type { Web } from '../world.ts'

export const nodeWeb: Web = {
  async get(url, { headers, signal }) {
    // A redirect would carry the user's headers to whoever the answer names.
    const response = await fetch(url, { headers, signal, redirect: 'error' })
    return { status: response.status, text: await response.text() }
  },
}
