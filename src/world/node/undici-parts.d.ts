/**
 * undici-parts: what undici says about itself as a whole, for its parts.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici'
}
