/** agent-code: only how a server is started or reached. */
import { NO_REFERENCES } from './spelling.ts'
import { type Writer } from './writer.ts'

export const agentCode: Writer = {
  dialect: 'agent-code',
  types: { stdio: null, http: null, auto: null },
  fallsBack: false,
  rows: { command: 'command', args: 'args', env: 'env', url: 'url' },
  spelling: NO_REFERENCES,
  values: 'literal',
}
