/** crashes-after: answers `--requests` (3) requests, then exits with 1. */
import { writeSync } from 'node:fs'
import { numberFlag, send, serve } from './speak.mjs'

let left = numberFlag('requests', 3)
serve({
  reply: (message) => {
    send(message)
    left--
    if (left > 0) return
    writeSync(2, 'crashed\n')
    process.exit(1)
  },
})
