/**
 * undici-agent: the one part of undici that is needed. The package as a whole takes three times as long to load.
 */
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici'
}
