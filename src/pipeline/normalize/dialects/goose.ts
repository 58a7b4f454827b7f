/**
 * goose: extensions, and some of them are MCP servers. It has its own names (`cmd`, `uri`, `envs`), seconds, and
 * variables whose values it takes from its keyring.
 */
import { findMember } from '../../../model/document.ts'
import type { Template } from '../../../model/template.ts'
import {
  referTo,
  setField,
  templateIn,
  type Dialect,
  type Draft,
  type Field,
  type FieldReader,
} from '../draft.ts'
import {
  command,
  enabled,
  ignored,
  itemField,
  readTexts,
  requireText,
  scalarText,
  seconds,
  silent,
  templateMap,
  templates,
  toolNames,
  words,
} from '../fields.ts'
import { unsupportedKind } from '../problems.ts'

/** Kinds of extension that are part of the goose program. */
const INSIDE_GOOSE = ['builtin', 'platform', 'frontend', 'inline_python']

const type: FieldReader = (draft, field) => {
  words('type')(draft, field)
  const kind = draft.fields.type
  if (kind === undefined || !INSIDE_GOOSE.includes(kind)) return
  const message = `an extension of type \`${kind}\` runs inside goose and cannot be reached from outside`
  draft.unsupported = unsupportedKind(draft.found, message, field)
}

const socket: FieldReader = (draft, field) => {
  const message = 'this server is reached through a Unix socket, which Plugboard cannot do'
  draft.unsupported = unsupportedKind(draft.found, message, field)
}

/** In `uri` and `headers`, goose replaces references with the values in `envs` of the same entry. */
function filledIn(draft: Draft, text: string, field: Field): Template {
  const envs = findMember(draft.found.node, 'envs')?.value
  const own = (envs?.kind === 'object' ? envs.members : []).flatMap(({ key, value }) => {
    const given = scalarText(value)
    return given === undefined ? [] : [[key, given] as const]
  })
  return templateIn({ ...draft, found: { ...draft.found, variables: Object.fromEntries(own) } }, text, field)
}

const uri: FieldReader = (draft, field) => {
  const text = requireText(draft, field)
  if (text !== undefined) setField(draft, 'url', field, filledIn(draft, text, field))
}

/** A remote server has no environment. Its variables are already in `uri` and `headers`. */
function unlessRemote(reader: FieldReader): FieldReader {
  return (draft, field) => {
    if (findMember(draft.found.node, 'uri') === undefined) reader(draft, field)
  }
}

/** `["NAME"]`: variables whose values goose keeps in its keyring. */
const passedVariables: FieldReader = (draft, field) => {
  const names = readTexts(draft, field)
  if (names === undefined) return
  const env = new Map(draft.fields.env)
  for (const [i, name] of names.entries()) env.set(name, [referTo(draft, name, itemField(field, i))])
  setField(draft, 'env', field, env)
}

/** An empty list means all tools. */
const availableTools: FieldReader = (draft, field) => {
  const isEmpty = field.node.kind === 'array' && field.node.items.length === 0
  if (!isEmpty) toolNames('includeTools')(draft, field)
}

/** goose writes `null` for an absent value. */
function unlessNull(reader: FieldReader): FieldReader {
  return (draft, field) => {
    const isNull = field.node.kind === 'scalar' && field.node.value === null
    if (!isNull) reader(draft, field)
  }
}

export const goose: Dialect = {
  id: 'goose',
  fields: {
    type,
    name: silent,
    display_name: silent,
    bundled: silent,
    description: unlessNull(words('description')),
    enabled,
    cmd: command,
    args: templates('args'),
    envs: unlessRemote(templateMap('env')),
    env_keys: unlessRemote(passedVariables),
    uri: unlessNull(uri),
    headers: templateMap('headers', filledIn),
    socket: unlessNull(socket),
    timeout: unlessNull(seconds('timeoutMs')),
    available_tools: availableTools,
    tools: ignored('it belongs to extensions that run inside goose'),
    instructions: ignored('it belongs to extensions that run inside goose'),
    code: ignored('it belongs to extensions that run inside goose'),
    dependencies: ignored('it belongs to extensions that run inside goose'),
  },
  spellings: { command: 'cmd', url: 'uri' },
  syntaxes: ['dollar'],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'not-used',
}
