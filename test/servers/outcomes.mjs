/**
 * outcomes: a tool for each thing that can become of a call.
 *
 *   fails      a result with `isError`
 *   refuses    a JSON-RPC error
 *   hangs      never answers; cancelled, it writes `cancelled <id>` to stderr
 *   busy       answers after `ms` (50) how many calls of it were under way, itself included, at most
 *   mixed      every kind of content
 *   big        `size` characters of text, and a line at the end
 *   structured structured content alone
 *   strict     takes `title` (text), `count` (a whole number from 1), `state`, `tags`, `options`; nothing else
 *   sends      the result that it is given, as it is
 */
import { Fault, serve, text, TOOLS, wait } from './speak.mjs'

const tool = (name, call, properties = {}, more = {}) => ({
  name,
  description: `${name}.`,
  inputSchema: { type: 'object', properties },
  call,
  ...more,
})

let underWay = 0
async function busy({ ms = 50 }, { signal }) {
  underWay += 1
  let most = underWay
  const look = setInterval(() => (most = Math.max(most, underWay)), 5)
  try {
    await wait(ms, signal)
    return text(String(most))
  } finally {
    clearInterval(look)
    underWay -= 1
  }
}

function hangs(_, { id, signal }) {
  signal.addEventListener('abort', () => process.stderr.write(`cancelled ${id}\n`))
  return new Promise(() => {})
}

const MIXED = [
  { type: 'text', text: 'first\u001b[31m red\u001b[0m\u0007' },
  { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' },
  {
    type: 'resource_link',
    uri: 'file:///a.txt',
    name: 'a.txt',
    mimeType: 'text/plain',
    description: 'A file.',
  },
  { type: 'resource', resource: { uri: 'file:///b.txt', text: 'inside b' } },
  { type: 'resource', resource: { uri: 'file:///c.pdf', mimeType: 'application/pdf', blob: 'JVBERg==' } },
  { type: 'hologram', depth: 3 },
  { type: 'text', text: 'last' },
]

serve({
  tools: [
    ...TOOLS,
    tool('fails', () => ({ ...text('it went wrong'), isError: true })),
    tool('refuses', () => {
      throw new Fault(-32000, 'no luck')
    }),
    tool('hangs', hangs),
    tool('busy', busy, { ms: { type: 'integer' } }),
    tool('mixed', () => ({ content: MIXED, structuredContent: { n: 1 } })),
    tool('big', ({ size = 200_000 }) => text(`${'x'.repeat(size)}\nthe end`), { size: { type: 'integer' } }),
    tool('structured', () => ({ content: [], structuredContent: { answer: 42 } })),
    tool('sends', ({ result }) => result, { result: { type: 'object' } }),
    {
      name: 'strict',
      description: 'Is strict.',
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string' },
          count: { type: 'integer', minimum: 1 },
          state: { enum: ['open', 'closed'] },
          urgent: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          options: { type: 'object' },
        },
        required: ['title'],
        additionalProperties: false,
      },
      call: (args) => text(JSON.stringify(args)),
    },
  ],
})
