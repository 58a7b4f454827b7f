/**
 * opencode: `command` as one list, `environment`, `{env:X}` and `{file:path}`. Version 2 spells some names differently.
 */
import type { OAuth } from '../../../model/definition.ts'
import { findAt, findMember } from '../../../model/document.ts'
import type { Dialect, Draft, FieldReader } from '../draft.ts'
import { commandList, disabled, enabled, group, millis, template, templateMap, words } from '../fields.ts'
import { asPort, asScopes, asTemplate, asText, oauth, oauthOrFalse } from '../nested.ts'
import { wrongType } from '../problems.ts'

const command: FieldReader = (draft, field) => {
  if (field.node.kind === 'array') return commandList(draft, field)
  const hint = 'write the program and its arguments as one list: `["npx", "-y", …]`'
  draft.problems.push(wrongType(draft.found, field, 'a list of strings', [hint]))
}

const settings = oauth({
  clientId: asTemplate<OAuth>('clientId'),
  client_id: asTemplate<OAuth>('clientId'),
  clientSecret: asTemplate<OAuth>('clientSecret'),
  client_secret: asTemplate<OAuth>('clientSecret'),
  scope: asScopes<OAuth>('scopes'),
  callbackPort: asPort<OAuth>('callbackPort'),
  callback_port: asPort<OAuth>('callbackPort'),
  redirectUri: asText<OAuth>('redirectUri'),
  redirect_uri: asText<OAuth>('redirectUri'),
})

const limits = group({ startup: millis('startupTimeoutMs'), request: millis('timeoutMs') })

/** One number limits both listing tools and calling them. */
const timeout: FieldReader = (draft, field) => {
  const read = field.node.kind === 'object' ? limits : millis('timeoutMs', 'startupTimeoutMs')
  read(draft, field)
}

/** The limit for all servers of the file, in version 2 and in version 1. */
const SHARED_TIMEOUTS = [
  ['mcp', 'timeout'],
  ['experimental', 'mcp_timeout'],
]

function useSharedTimeout(draft: Draft): void {
  const { fields, found } = draft
  const { timeoutMs, startupTimeoutMs } = fields
  if (timeoutMs !== undefined && startupTimeoutMs !== undefined) return
  for (const path of SHARED_TIMEOUTS) {
    const node = findAt(found.document.root, path)
    // With a type, it is a server of version 1 with the name `timeout`.
    if (node === undefined || findMember(node, 'type') !== undefined) continue
    timeout(draft, { path: path.join('.'), node })
    // The entry's own values stay.
    if (timeoutMs !== undefined) fields.timeoutMs = timeoutMs
    if (startupTimeoutMs !== undefined) fields.startupTimeoutMs = startupTimeoutMs
    return
  }
}

export const opencode: Dialect = {
  id: 'opencode',
  fields: {
    type: words('type'),
    command,
    cwd: template('cwd'),
    environment: templateMap('env'),
    url: template('url'),
    headers: templateMap('headers'),
    oauth: oauthOrFalse(settings),
    enabled,
    disabled,
    timeout,
  },
  syntaxes: ['braces'],
  values: 'literal',
  typeOfUrl: 'http',
  types: { local: 'stdio' },
  fallbackTypes: ['remote'],
  unknownField: 'not-used',
  check: useSharedTimeout,
}
