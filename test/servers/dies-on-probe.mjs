/** dies-on-probe: exits when the first message is anything but `initialize`. */
import { serve } from './speak.mjs'

let isFirst = true
serve({
  before: ({ method }) => {
    if (isFirst && method !== 'initialize') process.exit(1)
    isFirst = false
    return false
  },
})
