/**
 * windsurf: `serverUrl`, which it tries as HTTP and then as SSE.
 */
import { WINDSURF } from './spelling.ts'
import { disabled, type Writer } from './writer.ts'

export const windsurf: Writer = {
  dialect: 'windsurf',
  types: { stdio: null, http: null, auto: null, sse: null },
  fallsBack: true,
  rows: {
    command: 'command',
    args: 'args',
    env: 'env',
    cwd: 'cwd',
    url: (pen, url) => {
      pen.put('serverUrl', pen.spell(url, 'url'))
      if (pen.kind === 'sse') pen.unsay('type', 'tries HTTP first, then SSE')
    },
    headers: 'headers',
    excludeTools: 'disabledTools',
    enabled: disabled,
  },
  spelling: WINDSURF,
  values: 'literal',
}
