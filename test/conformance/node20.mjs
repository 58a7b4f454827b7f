/**
 * node20: lets the conformance suite load on Node 20. It imports `globSync` from `fs`, which only Node 22 has, for a
 * command that we do not use.
 *
 *   node --import ./test/conformance/node20.mjs node_modules/@modelcontextprotocol/conformance/dist/index.js …
 */
import { register } from 'node:module'

const FS = `export * from 'node:fs'
export { default } from 'node:fs'
export const globSync = () => { throw new Error('needs Node 22') }`

const HOOKS = `export async function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/')
  if (specifier === 'fs' && isSuite) return { url: ${JSON.stringify(toDataUrl(FS))}, shortCircuit: true }
  return next(specifier, context)
}`

register(toDataUrl(HOOKS))

function toDataUrl(source) {
  return `data:text/javascript,${encodeURIComponent(source)}`
}
