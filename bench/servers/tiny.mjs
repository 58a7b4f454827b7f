/**
 * tiny: the smallest MCP server there can be: lines of JSON, ten tools, `echo` gives back its text. `--hang` never answers.
 */
import { outcome } from './outcome.mjs'

let pieces = []
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  if (process.argv.includes('--hang')) return
  let from = 0
  let answers = ''
  for (let to = chunk.indexOf('\n'); to !== -1; to = chunk.indexOf('\n', from)) {
    pieces.push(chunk.slice(from, to))
    answers += answer(JSON.parse(pieces.join('')))
    pieces = []
    from = to + 1
  }
  if (from < chunk.length) pieces.push(chunk.slice(from))
  if (answers !== '') process.stdout.write(answers)
})

function answer({ id, method, params }) {
  if (id === undefined) return ''
  return `${JSON.stringify({ jsonrpc: '2.0', id, ...outcome(method, params) })}\n`
}
