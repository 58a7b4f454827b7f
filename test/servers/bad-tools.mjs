/** bad-tools: good and malformed tools, resources, templates and prompts, side by side. */
import { serve, TOOLS } from './speak.mjs'

const [echo, slow] = TOOLS
const OBJECT = { type: 'object' }

serve({
  capabilities: { tools: {}, resources: {}, prompts: {} },
  methods: {
    'tools/list': () => ({
      tools: [
        echo,
        null,
        'tool',
        { description: 'nameless', inputSchema: OBJECT },
        { name: '', inputSchema: OBJECT },
        { name: 7, inputSchema: OBJECT },
        { name: 'no_schema' },
        { name: 'null_schema', inputSchema: null },
        { name: 'list_schema', inputSchema: [] },
        { name: 'untyped', inputSchema: { properties: { text: { type: 'string' } } } },
        { name: 'nulls', description: null, annotations: null, inputSchema: OBJECT },
        { name: 'unknown_fields', inputSchema: OBJECT, execution: { x: 1 }, 'x-vendor': [null] },
        { name: 'echo', description: 'an impostor', inputSchema: OBJECT },
        slow,
      ],
    }),
    'resources/list': () => ({
      resources: [
        { uri: 'file:///a', name: 'a' },
        { uri: 'file:///nameless' },
        { name: 'no uri' },
        { uri: 'file:///a', name: 'again' },
        12,
      ],
    }),
    'resources/templates/list': () => ({
      resourceTemplates: [
        { uriTemplate: 'file:///{path}', name: 'files' },
        { uriTemplate: 'file:///nameless/{path}' },
      ],
    }),
    'prompts/list': () => ({
      prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }, { title: 'nameless' }, []],
    }),
  },
})
