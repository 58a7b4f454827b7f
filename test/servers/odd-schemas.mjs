/** odd-schemas: well-formed tools whose schemas one provider or another refuses. */
import { serve, text, TOOLS } from './speak.mjs'

const tool = (name, inputSchema) => ({
  name,
  description: `Takes ${name}.\nAnd says so.`,
  inputSchema,
  call: (args) => text(JSON.stringify(args)),
})

serve({
  tools: [
    ...TOOLS,
    tool('plain', {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'what to look for', format: 'uri' },
        state: { enum: ['open', 'closed'] },
        filters: {
          type: 'array',
          items: {
            type: 'object',
            properties: { key: { type: 'string' }, value: { type: ['string', 'number'] } },
            required: ['key'],
          },
        },
      },
      required: ['query'],
    }),
    tool('tree', {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    }),
    tool('forms', {
      anyOf: [
        { properties: { id: { type: 'integer' } }, required: ['id'] },
        { properties: { name: { type: 'string' } }, required: ['name'] },
      ],
    }),
    tool('angles', { type: 'object', properties: { 'from<': { type: 'string' } } }),
    tool('nothing', { type: 'object' }),
  ],
})
