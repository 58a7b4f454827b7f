/** slow-list: lists its tools after `--ms` (2000) milliseconds. With `--mute-prompts` it says that it has prompts, and never lists them. */
import { hasFlag, numberFlag, serve, TOOLS, wait } from './speak.mjs'

const isMute = hasFlag('mute-prompts')

serve({
  capabilities: { tools: {}, ...(isMute ? { prompts: {} } : {}) },
  methods: {
    'tools/list': async () => {
      await wait(numberFlag('ms', 2000))
      return { tools: TOOLS }
    },
    ...(isMute ? { 'prompts/list': () => undefined } : {}),
  },
})
