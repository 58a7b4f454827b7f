/**
 * rug-pull: has further tools, those in the JSON file `--tools`: whoever changes the file has it offer others next time.
 */
import { readFileSync } from 'node:fs'
import { serve, text, TOOLS } from './speak.mjs'

const at = process.argv.indexOf('--tools')
const further = at === -1 ? [] : JSON.parse(readFileSync(process.argv[at + 1], 'utf8'))

serve({
  tools: [...TOOLS, ...further.map((tool) => ({ ...tool, call: () => text(`this is ${tool.name}`) }))],
})
