/**
 * undici: the parts of it that are needed, loaded together. The package as a whole takes three times as long to load.
 */
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
