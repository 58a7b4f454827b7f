/**
 * claude-code: the format of most servers' READMEs. Its relatives are the shared root files, which every agent reads
 * with its own extra fields, and the servers of plugins.
 */
import type { OAuth } from '../../../model/definition.ts'
import type { Dialect, FieldReader } from '../draft.ts'
import { disabled, flag, ignored, millis, template, words } from '../fields.ts'
import { asPort, asScopes, asTemplate, asText, oauth } from '../nested.ts'
import { notUsed } from '../problems.ts'
import { COMMON_FIELDS, OUR_FIELDS } from './plugboard.ts'

/** Claude Code itself ignores limits below a second: they are probably meant as seconds. */
const timeout: FieldReader = (draft, field) => {
  const value = field.node.kind === 'scalar' ? field.node.value : undefined
  const isTooSmall = typeof value === 'number' && value > 0 && value < 1000
  if (isTooSmall) draft.warnings.push(notUsed(draft.found, field, 'it is in milliseconds, and below 1000'))
  else millis('timeoutMs')(draft, field)
}

export const claudeCode: Dialect = {
  id: 'claude-code',
  fields: {
    ...COMMON_FIELDS,
    headersHelper: template('headersHelper'),
    oauth: oauth({
      clientId: asTemplate<OAuth>('clientId'),
      callbackPort: asPort<OAuth>('callbackPort'),
      authServerMetadataUrl: asText<OAuth>('authServerMetadataUrl'),
      scopes: asScopes<OAuth>('scopes'),
    }),
    timeout,
    request_timeout_ms: millis('timeoutMs'),
    alwaysLoad: ignored(),
    ideName: words('ideName'),
    authToken: template('authToken'),
    ideRunningInWindows: flag('ideRunningInWindows'),
    name: words('sdkName'),
    id: words('id'),
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}

export const claudePlugin: Dialect = {
  ...claudeCode,
  id: 'claude-plugin',
  fields: { ...claudeCode.fields, cwd: template('cwd') },
  syntaxes: ['user-config'],
}

/** Root `.mcp.json` and `mcp.json`, and Claude Desktop: accepts every field that any of their readers accepts. */
export const mcpJson: Dialect = {
  ...claudeCode,
  id: 'mcp-json',
  fields: { ...OUR_FIELDS, ...claudeCode.fields, oauth: OUR_FIELDS['oauth']!, disabled },
}
