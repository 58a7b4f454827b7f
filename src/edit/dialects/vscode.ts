/** vscode: `${env:X}`, and `${input:id}` for values that it asks the user for. */
import { COMMON_ROWS } from './plugboard.ts'
import { VSCODE } from './spelling.ts'
import { unheeded, type Writer } from './writer.ts'

export const vscode: Writer = {
  dialect: 'vscode',
  types: { stdio: 'stdio', http: 'http', auto: 'http', sse: 'sse' },
  fallsBack: true,
  rows: {
    ...COMMON_ROWS,
    cwd: 'cwd',
    envFile: 'envFile',
    'oauth.clientId': 'oauth.clientId',
    enabled: unheeded(),
  },
  spelling: VSCODE,
  values: 'literal',
}
