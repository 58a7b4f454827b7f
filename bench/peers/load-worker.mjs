/**
 * load-worker: takes the place of the harness's load generator in the copy that is run, and starts it as `sender.mjs`,
 * with a token on every request where a gateway wants one. The harness knows none that does.
 */
import http from 'node:http'

const { PERF_TOKEN: token } = process.env
if (token !== undefined) {
  const { request } = http
  const authorization = `Bearer ${token}`
  http.request = (options, listener) => {
    options.headers.authorization = authorization
    return request(options, listener)
  }
}
await import('./sender.mjs')
