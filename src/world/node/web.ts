/**
 * web: the HTTP that discovery needs. It uses `Http`, so that only one module reaches the network and handles proxies.
 */
import type { Http, HttpRequest, Web } from '../world.ts'

export function createNodeWeb(http: Http): Web {
  return {
    get: (url, { headers, signal }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        let status = 0
        let text = ''
        const onAbort = (): void => {
          end()
          reject(signal.reason as Error)
        }
        const settle = (tell: () => void): void => {
          signal.removeEventListener('abort', onAbort)
          tell()
        }
        const end = http.request(toRequest(url, headers), {
          onHead: (head) => {
            ;({ status } = head)
            return 'whole'
          },
          onText: (whole) => (text = whole),
          onEnd: () =>
            settle(() => {
              // A redirect would send the user's headers to whatever address the response names.
              if (status >= 300 && status < 400) reject(new Error('unexpected redirect'))
              else resolve({ status, text })
            }),
          onFailed: (error) => settle(() => reject(new Error(error.message, { cause: error }))),
        })
        signal.addEventListener('abort', onAbort, { once: true })
      }),
  }
}

function toRequest(url: string, headers: Readonly<Record<string, string>>): HttpRequest {
  const { origin, pathname, search, username, password } = new URL(url)
  const sent = new Map([
    ['accept', '*/*'],
    ['user-agent', 'plugboard'],
    ...toBasic(username, password),
    ...Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
  ])
  return { method: 'GET', origin, path: pathname + search, headers: [...sent].flat(), isUrgent: true }
}

/** From the name and password in the address. */
function toBasic(username: string, password: string): readonly (readonly [string, string])[] {
  if (username === '' && password === '') return []
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return [['authorization', `Basic ${Buffer.from(pair).toString('base64')}`]]
}
