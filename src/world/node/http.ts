/**
 * http: requests whose answers stream, on undici, which takes a third less than `node:http` and half less than `fetch`.
 */
import type { Http, HttpAnswer } from '../world.ts'

export const nodeHttp: Http = {
  async request({ method, url, headers, body, signal }): Promise<HttpAnswer> {
    const { request } = await import('undici')
    const answer = await request(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      // A stream may be silent for hours; the session has its own limits.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string | undefined>,
      text: () => answer.body.text(),
      async read(onText) {
        const decoder = new TextDecoder()
        for await (const chunk of answer.body) onText(decoder.decode(chunk as Uint8Array, { stream: true }))
      },
      discard: () => void answer.body.destroy(),
    }
  },
}
