/** lists-forever: every page of its tools leads to another one. With `--ms` each takes that long. */
import { numberFlag, serve, wait } from './speak.mjs'

serve({
  methods: {
    'tools/list': async ({ cursor = 'page-1' }) => {
      await wait(numberFlag('ms', 0))
      const page = Number(cursor.slice('page-'.length))
      return {
        tools: [{ name: `tool_${page}`, inputSchema: { type: 'object' } }],
        nextCursor: `page-${page + 1}`,
      }
    },
  },
})
