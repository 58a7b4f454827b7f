/* oxlint-disable no-console -- printing is what it is for */
/**
 * speaks-on-stdout: a host whose stdout is for its own messages. The server in it, and a thread, print there as they like.
 *
 * `node speaks-on-stdout.mjs <kept|given-back>`; the second gives stdout back at its end, and prints once more.
 */
import { Worker } from 'node:worker_threads'
import { McpServer } from '@modelcontextprotocol/server'
import { openPlugboard, takeStdout } from '../../dist/index.js'

const stdout = takeStdout()
const say = (message) => stdout.write(`${JSON.stringify(message)}\n`)

const server = new McpServer({ name: 'chatty', version: '1.0.0' })
server.registerTool('chat', {}, async () => {
  console.log('noise of console.log')
  console.info('noise of %s', 'console.info')
  console.table([{ noise: 'of console.table' }])
  process.stdout.write('noise of stdout.write\n')
  process.stdout.write(Buffer.from('noise of a buffer\n'))
  await new Promise((resolve) => process.stdout.write('noise with a callback\n', resolve))
  process.stdout.end('noise of stdout.end\n')
  await new Promise((resolve) => {
    new Worker("console.log('noise of a thread')", { eval: true }).on('exit', resolve)
  })
  return { content: [{ type: 'text', text: 'quiet' }] }
})

const board = await openPlugboard({
  strict: true,
  servers: { chatty: { type: 'sdk', name: 'house' } },
  inProcess: { house: server },
})
say({ tools: board.tools().map(({ name }) => name) })
const { content } = await board.request('chatty', 'tools/call', { name: 'chat' })
say(content)
// More than a pipe holds.
say('x'.repeat(300_000))
await board.close()
if (process.argv[2] === 'given-back') {
  stdout[Symbol.dispose]()
  console.log('everybody')
}
