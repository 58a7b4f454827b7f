/** dies-in-handshake: complains on stderr and exits with 3 when it is asked to initialize. */
import { writeSync } from 'node:fs'
import { serve } from './speak.mjs'

serve({
  before: ({ method }) => {
    if (method !== 'initialize') return false
    writeSync(2, 'fatal: no licence\n')
    process.exit(3)
  },
})
