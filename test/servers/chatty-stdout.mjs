/** chatty-stdout: a banner, log lines and JSON that is no message, where only messages should be. */
import { serve } from './speak.mjs'

const NOISE = [
  '[info] a request came in',
  '',
  '{"level":30,"msg":"a log line in JSON"}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"1.0","id":1,"result":{}}',
  '[1,2,3]',
  '"text"',
  '42',
  'null',
  '{"jsonrpc":"2.0","id":1,"resu',
]

process.stdout.write('Chatty Server v1.0\r\n==================\n\n')
serve({
  before: () => {
    process.stdout.write(`${NOISE.join('\n')}\n`)
    return false
  },
})
