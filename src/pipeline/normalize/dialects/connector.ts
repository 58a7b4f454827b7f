/**
 * connector: the fields that a hosted list of servers may declare. The author of that list is not the user, so the list
 * can name only remote servers and nothing to run.
 */
import type { Dialect, FieldReader } from '../draft.ts'
import {
  enabled,
  innerField,
  millis,
  scalarText,
  template,
  templateMap,
  typeAmong,
  words,
} from '../fields.ts'
import { invalidConfig } from '../problems.ts'
import { CONNECTOR_OAUTH } from './plugboard.ts'

const REMOTE_TYPES = [
  'http',
  'streamable-http',
  'streamableHttp',
  'streamable_http',
  'remote',
  'sse',
  'ws',
  'claudeai-proxy',
] as const

/** A field that starts a program, or changes how it starts. */
const forbidden: FieldReader = (draft, field) => {
  const message = `\`${field.path}\` is not allowed here: a connector may not run commands`
  draft.problems.push(invalidConfig(draft.found, message, field))
}

const headers: FieldReader = (draft, field) => {
  templateMap('headers')(draft, field)
  if (field.node.kind !== 'object') return
  for (const member of field.node.members) {
    if (scalarText(member.value)?.startsWith('!')) forbidden(draft, innerField(field, member))
  }
}

export const connector: Dialect = {
  id: 'connector',
  fields: {
    type: typeAmong(REMOTE_TYPES),
    url: template('url'),
    id: words('id'),
    headers,
    oauth: CONNECTOR_OAUTH,
    description: words('description'),
    enabled,
    timeout: millis('timeoutMs'),
    command: forbidden,
    args: forbidden,
    env: forbidden,
    envFile: forbidden,
    cwd: forbidden,
    headersHelper: forbidden,
  },
  syntaxes: [],
  hasReferences: false,
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
