/** codex: has fields of their own for names of variables, because it replaces nothing in values; seconds. */
import type { TemplateMap } from '../../model/definition.ts'
import type { Template } from '../../model/template.ts'
import { NO_REFERENCES } from './spelling.ts'
import { bearerVariable, seconds, soleVariable, toObject, type Pen, type Put, type Writer } from './writer.ts'

/** A variable that keeps its own name is only listed. */
const env: Put<'env'> = (pen, map) => {
  const isPassed = ([name, value]: readonly [string, Template]): boolean => soleVariable(value) === name
  putRest(pen, 'env', { name: 'env', map: [...map].filter((one) => !isPassed(one)) })
  const passed = [...map].filter(isPassed).map(([name]) => name)
  if (passed.length > 0) pen.put('env_vars', passed)
}

const headers: Put<'headers'> = (pen, map) => {
  const bearer = bearerOf(map)
  if (bearer !== undefined) pen.put('bearer_token_env_var', bearer)
  const others = [...map].filter(([name]) => bearer === undefined || name !== 'Authorization')
  putRest(pen, 'http_headers', {
    name: 'headers',
    map: others.filter(([, value]) => soleVariable(value) === undefined),
  })
  const named = others.flatMap(([name, value]) => {
    const variable = soleVariable(value)
    return variable === undefined ? [] : [[name, variable] as const]
  })
  if (named.length > 0) pen.put('env_http_headers', Object.fromEntries(named))
}

function bearerOf(map: TemplateMap): string | undefined {
  const value = map.get('Authorization')
  return value === undefined ? undefined : bearerVariable(value)
}

function putRest(
  pen: Pen,
  path: string,
  { name, map }: { readonly name: string; readonly map: readonly (readonly [string, Template])[] },
): void {
  if (map.length > 0) pen.put(path, toObject(pen, name, map))
}

export const codex: Writer = {
  dialect: 'codex',
  types: { stdio: null, http: null, auto: null },
  fallsBack: false,
  rows: {
    command: 'command',
    args: 'args',
    cwd: 'cwd',
    url: 'url',
    headersHelper: 'http_headers_helper',
    startupTimeout: seconds('startupTimeout', 'startup_timeout_sec'),
    timeout: seconds('timeout', 'tool_timeout_sec'),
    enabled: 'enabled',
    required: 'required',
    supportsParallelCalls: 'supports_parallel_tool_calls',
    includeTools: 'enabled_tools',
    excludeTools: 'disabled_tools',
    'oauth.scopes': 'scopes',
    'oauth.resource': 'oauth_resource',
    'oauth.clientId': 'oauth.client_id',
    'oauth.callbackPort': 'oauth.callback_port',
    // Tables come last, as users write them.
    headers,
    env,
  },
  spelling: NO_REFERENCES,
  values: 'literal',
}
