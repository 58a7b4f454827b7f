/** same-cursor: every page of its tools is new, and leads to the same cursor. */
import { serve } from './speak.mjs'

let page = 0
serve({
  methods: {
    'tools/list': () => {
      page++
      return { tools: [{ name: `tool_${page}`, inputSchema: { type: 'object' } }], nextCursor: 'again' }
    },
  },
})
