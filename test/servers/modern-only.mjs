/** modern-only: speaks 2026-07-28 and nothing else; `initialize` is answered with -32022. */
import { serve, unsupported } from './speak.mjs'

serve({
  isModern: true,
  methods: {
    initialize: ({ protocolVersion }) => {
      throw unsupported(protocolVersion)
    },
  },
})
