/** ignores-sigterm: neither the end of its input nor SIGTERM makes it leave. */
import { serve } from './speak.mjs'

process.on('SIGTERM', () => process.stderr.write('SIGTERM ignored\n'))
// A client that is gone does not end it either.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
// Longer than any test waits, but not for ever: a test that fails must leave nothing behind.
setTimeout(() => process.exit(9), 300_000)
serve({ endsWithInput: false })
