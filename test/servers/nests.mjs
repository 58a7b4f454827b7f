/**
 * nests: writes messages that are nested `depth` levels deep, as no library would.
 *
 * The tool `nest` sends `what`: a `log` or `progress` notification or a `question`, and then answers; or it answers with
 * deep `structuredContent`, `_meta` or a deep `id`. Resources and prompts answer as deep as `--depth` says.
 */
import { numberFlag, serve, text, TOOLS } from './speak.mjs'

const nested = (depth) => '['.repeat(depth) + ']'.repeat(depth)
const write = (fields) => process.stdout.write(`{"jsonrpc":"2.0",${fields}}\n`)
const DEPTH = numberFlag('depth', 20_000)

function nest({ what, depth = DEPTH }, { id, params }) {
  const value = nested(depth)
  const { _meta: { progressToken = 0 } = {} } = params
  const token = JSON.stringify(progressToken)
  switch (what) {
    case 'log':
      write(`"method":"notifications/message","params":{"level":"error","data":${value}}`)
      return text('told')
    case 'progress':
      write(`"method":"notifications/progress","params":{"progressToken":${token},"progress":1,"x":${value}}`)
      return text('told')
    case 'question':
      write(`"id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":${value}}`)
      return text('asked')
    case 'question id':
      write(`"id":${value},"method":"roots/list"`)
      return text('asked')
    case 'id':
      write(`"id":${value},"result":{}`)
      return text('told')
    case 'error':
      return void write(`"id":${id},"error":{"code":1,"message":"no","data":${value}}`)
    default:
      return void write(`"id":${id},"result":{"content":[],"${what}":{"x":${value}}}`)
  }
}

serve({
  tools: [
    ...TOOLS,
    {
      name: 'nest',
      inputSchema: { type: 'object', properties: { what: { type: 'string' }, depth: { type: 'integer' } } },
      call: nest,
    },
    { name: 'take', inputSchema: { type: 'object' }, call: () => text('taken') },
  ],
  capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
  methods: {
    'logging/setLevel': () => ({}),
    'resources/list': () => ({ resources: [{ uri: 'x://deep', name: 'deep' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': (_, { id }) =>
      void write(`"id":${id},"result":{"contents":[],"_meta":{"x":${nested(DEPTH)}}}`),
    'prompts/list': () => ({ prompts: [{ name: 'deep' }] }),
    'prompts/get': (_, { id }) =>
      void write(`"id":${id},"result":{"messages":[],"_meta":{"x":${nested(DEPTH)}}}`),
  },
})
