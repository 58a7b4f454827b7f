/** x-code: the common fields, and a limit of at most five minutes. */
import { COMMON_ROWS } from './plugboard.ts'
import { SHELL_LIKE } from './spelling.ts'
import { between, type Writer } from './writer.ts'

export const xCode: Writer = {
  dialect: 'x-code',
  types: { stdio: null, http: 'http', auto: null },
  fallsBack: false,
  rows: {
    ...COMMON_ROWS,
    cwd: 'cwd',
    timeout: between('timeout', 'timeout', { from: 1, to: 300_000 }),
    enabled: 'enabled',
  },
  spelling: SHELL_LIKE,
  values: 'literal',
}
