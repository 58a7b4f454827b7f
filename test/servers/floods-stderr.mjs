/** floods-stderr: writes `--mb` (100) megabytes of lines to stderr, and answers between them. */
import { numberFlag, serve } from './speak.mjs'

const LINE = `${'noise '.repeat(170)}\n`
const CHUNK = LINE.repeat(64)

let left = numberFlag('mb', 100) * 1024 * 1024
function flood() {
  if (left <= 0) return void process.stderr.write('flood over\n')
  left -= CHUNK.length
  process.stderr.write(CHUNK, () => setImmediate(flood))
}

flood()
serve()
