/**
 * codex: TOML tables with snake_case fields and seconds. Fields name variables instead of writing them into values.
 */
import type { OAuth } from '../../../model/definition.ts'
import type { Template } from '../../../model/template.ts'
import { referTo, setField, type Dialect, type Draft, type Field, type FieldReader } from '../draft.ts'
import {
  command,
  enabled,
  flag,
  ignored,
  millis,
  requireText,
  seconds,
  template,
  templateMap,
  templates,
  toolNames,
} from '../fields.ts'
import { asPort, asScopes, asTemplate, asText, oauth, oauthField } from '../nested.ts'
import { findMember, toText } from '../../../model/document.ts'
import { invalidConfig, notUsed, wrongType } from '../problems.ts'

/** `{ HEADER = "NAME_OF_VARIABLE" }` */
const variableNamed = (draft: Draft, name: string, field: Field): Template => [referTo(draft, name, field)]

const bearerTokenVariable: FieldReader = (draft, field) => {
  const name = requireText(draft, field)
  if (name === undefined) return
  const headers = new Map(draft.fields.headers)
  headers.set('Authorization', ['Bearer ', referTo(draft, name, field)])
  setField(draft, 'headers', field, headers)
}

/** `["NAME", { name = "NAME", source = "local" }]`: variables to pass on from the user's environment. */
const passedVariables: FieldReader = (draft, field) => {
  if (field.node.kind !== 'array') return void draft.problems.push(wrongType(draft.found, field, 'a list'))
  const env = new Map(draft.fields.env)
  for (const node of field.node.items) {
    const name = toText(node) ?? toText(findMember(node, 'name')?.value)
    const isRemote = toText(findMember(node, 'source')?.value) === 'remote'
    if (name === undefined || isRemote) draft.warnings.push(notUsed(draft.found, { path: field.path, node }))
    else env.set(name, [referTo(draft, name, { path: field.path, node })])
  }
  setField(draft, 'env', field, env)
}

const inlineBearerToken: FieldReader = (draft, field) =>
  void draft.problems.push(
    invalidConfig(draft.found, '`bearer_token` is not accepted by Codex, and so not here', field, [
      'put the token into a variable and name it in `bearer_token_env_var`',
    ]),
  )

export const codex: Dialect = {
  id: 'codex',
  fields: {
    command,
    args: templates('args'),
    env: templateMap('env'),
    env_vars: passedVariables,
    cwd: template('cwd'),
    url: template('url'),
    bearer_token_env_var: bearerTokenVariable,
    bearer_token: inlineBearerToken,
    http_headers: templateMap('headers'),
    env_http_headers: templateMap('headers', variableNamed),
    http_headers_helper: template('headersHelper'),
    startup_timeout_sec: seconds('startupTimeoutMs'),
    startup_timeout_ms: millis('startupTimeoutMs'),
    tool_timeout_sec: seconds('timeoutMs'),
    enabled,
    required: flag('required'),
    supports_parallel_tool_calls: flag('supportsParallelCalls'),
    enabled_tools: toolNames('includeTools'),
    disabled_tools: toolNames('excludeTools'),
    scopes: oauthField(asScopes<OAuth>('scopes')),
    oauth: oauth({
      client_id: asTemplate<OAuth>('clientId'),
      callback_port: asPort<OAuth>('callbackPort'),
    }),
    oauth_resource: oauthField(asText<OAuth>('resource')),
    default_tools_approval_mode: ignored('set permissions in Plugboard instead'),
    tools: ignored('set permissions in Plugboard instead'),
    omit_tools_from: ignored(),
    environment_id: ignored(),
    auth: ignored(),
    name: ignored(),
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
