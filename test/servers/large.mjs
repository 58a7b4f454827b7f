/**
 * large: more of everything than fits. Lists of `--count` (2500) tools, resources, templates and prompts, each in one
 * page; the tool `grow` puts one more tool behind `tool_<after>`, and `drop` takes `tool_<at>` away.
 *
 * The tool `long` answers with texts of `characters` (200,000) in all, among media and links, and with as many in
 * `structuredContent`, for which it has a schema; `word`: what the texts are made of; `odd`
 * (true): whether there is content of a kind that nobody knows.
 */
import { Fault, numberFlag, send, serve, text, TOOLS } from './speak.mjs'

const count = numberFlag('count', 2500)
const numbered = (make) => Array.from({ length: count }, (_, at) => make(at + 1))
const tool = (name, call, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more, call })

function long({ characters = 200_000, word = 'soup ', odd = true }) {
  const half = word.repeat(Math.ceil(characters / 2 / word.length)).slice(0, characters / 2)
  return {
    content: [
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'text', text: half, annotations: { priority: 1 } },
      { type: 'resource_link', uri: 'large://1', name: 'one' },
      { type: 'resource', resource: { uri: 'large://2', mimeType: 'text/plain', text: half } },
      { type: 'resource', resource: { uri: 'large://3', mimeType: 'image/png', blob: 'iVBORw0KGgo=' } },
      ...(odd ? [{ type: 'hologram', beam: { angle: 1 } }] : []),
    ],
    structuredContent: { said: half },
    _meta: { 'example.test/mark': 1 },
  }
}

function change(work) {
  work()
  send({ method: 'notifications/tools/list_changed', params: {} })
  return text('changed')
}

const find = (number) => tools.findIndex(({ name }) => name === `tool_${number}`)

const tools = [
  ...TOOLS,
  tool('long', long, {
    outputSchema: { type: 'object', properties: { said: { type: 'string' } }, required: ['said'] },
  }),
  tool('grow', ({ after }) =>
    change(() =>
      tools.splice(
        find(after) + 1,
        0,
        tool(`grown_${after}`, () => text('grown')),
      ),
    ),
  ),
  tool('drop', ({ at }) => change(() => tools.splice(find(at), 1))),
  ...numbered((number) => tool(`tool_${number}`, () => text(String(number)))),
]

serve({
  tools,
  capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
  methods: {
    'resources/list': () => ({
      resources: numbered((number) => ({ uri: `large://${number}`, name: `resource_${number}` })),
    }),
    'resources/templates/list': () => ({
      resourceTemplates: numbered((number) => ({
        uriTemplate: `large://${number}/{part}`,
        name: `template_${number}`,
      })),
    }),
    'resources/read': ({ uri }) => {
      throw new Fault(-32002, 'Resource not found', { uri })
    },
    'prompts/list': () => ({ prompts: numbered((number) => ({ name: `prompt_${number}` })) }),
  },
})
