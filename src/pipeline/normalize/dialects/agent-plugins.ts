/**
 * agent-plugins: the closed format of Agent Plugins 1.0.0 (https://agent-plugins.org/specification, §7.2 and §9).
 *
 * One difference: Plugboard expands `${VAR}` as in every other file, while the specification keeps it as text.
 */
import { toText, type ConfigNode } from '../../../model/document.ts'
import { isLiteral, literal, showTemplate } from '../../../model/template.ts'
import { setField, type Dialect, type Draft, type FieldReader } from '../draft.ts'
import { command, innerField, template, templateMap, templates, typeAmong } from '../fields.ts'
import { invalidConfig, notUsed } from '../problems.ts'

const FIELDS_OF: Readonly<Record<string, readonly string[]>> = {
  stdio: ['type', 'command', 'args', 'env', 'cwd'],
  'streamable-http': ['type', 'url', 'headers'],
  sse: ['type', 'url', 'headers'],
}

const PLUGIN_VARIABLES = ['PLUGIN_ROOT', 'PLUGIN_DATA']

/** Headers of the transport and of authorization. A plugin must not set them. */
const CLIENT_HEADERS = new Set([
  'accept',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

const containedCommand: FieldReader = (draft, field) => {
  command(draft, field)
  const text = toText(field.node)
  const isBare = text === undefined || !/[/\\]|^[A-Za-z]:|^\.\.$/.test(text)
  if (!isBare && !isBelow(text, /^\.\//)) {
    const message = '`command` must be a bare name, or a path inside the plugin that begins with `./`'
    draft.problems.push(invalidConfig(draft.found, message, field))
  }
  addSurroundings(draft, field)
}

const containedCwd: FieldReader = (draft, field) => {
  template('cwd')(draft, field)
  const text = toText(field.node)
  if (text === undefined || isBelow(text, /^(?:\.\/|\$\{PLUGIN_(?:ROOT|DATA)\}(?:\/|$))/)) return
  const message =
    '`cwd` must begin with `./`, `${PLUGIN_ROOT}` or `${PLUGIN_DATA}`, and must not lead out of there'
  draft.problems.push(invalidConfig(draft.found, message, field))
}

function isBelow(path: string, start: RegExp): boolean {
  return start.test(path) && !path.includes('\\') && !path.split('/').includes('..')
}

/** Every process of a plugin gets its two folders as variables and starts in the first (§9.1, §7.2.1). */
const addSurroundings: FieldReader = (draft, field) => {
  const { variables } = draft.found
  const env = new Map(draft.fields.env)
  for (const name of PLUGIN_VARIABLES) env.set(name, literal(variables[name] ?? ''))
  setField(draft, 'env', draft.nodes['env'] ?? field, env)
  if (draft.nodes['cwd'] === undefined) setField(draft, 'cwd', field, literal(variables['PLUGIN_ROOT'] ?? ''))
}

const env: FieldReader = (draft, field) => {
  templateMap('env')(draft, field)
  for (const member of membersOf(field.node)) {
    if (!PLUGIN_VARIABLES.includes(member.key)) continue
    const message = `\`${member.key}\` is set for every plugin and must not stand in \`env\``
    draft.problems.push(invalidConfig(draft.found, message, innerField(field, member)))
  }
}

const headers: FieldReader = (draft, field) => {
  templateMap('headers')(draft, field)
  const seen = new Set<string>()
  for (const member of membersOf(field.node)) {
    const name = member.key.toLowerCase()
    const inner = innerField(field, member)
    if (seen.has(name)) {
      const message = `the header \`${member.key}\` is written twice`
      draft.problems.push(invalidConfig(draft.found, message, inner))
    }
    seen.add(name)
    if (!CLIENT_HEADERS.has(name)) continue
    draft.fields.headers?.delete(member.key)
    draft.warnings.push(notUsed(draft.found, inner, 'a plugin cannot set this header'))
  }
}

function membersOf(node: ConfigNode) {
  return node.kind === 'object' ? node.members : []
}

function check(draft: Draft): void {
  if (draft.nodes['type'] === undefined) {
    const hints = [`add \`"type"\`: one of ${Object.keys(FIELDS_OF).join(', ')}`]
    draft.problems.push(invalidConfig(draft.found, 'this format requires `type`', undefined, hints))
  }
  checkForeignFields(draft)
  checkUrl(draft)
}

/** A field of another type makes the entry invalid. `command` together with `url` already has its own problem. */
function checkForeignFields({ dialect, fields, found, problems }: Draft): void {
  const allowed = FIELDS_OF[fields.type ?? '']
  if (allowed === undefined || (fields.command !== undefined && fields.url !== undefined)) return
  for (const { key, value } of membersOf(found.node)) {
    if (allowed.includes(key) || !Object.hasOwn(dialect.fields, key)) continue
    const message = `\`${key}\` is not a field of a server of type \`${fields.type}\``
    problems.push(invalidConfig(found, message, { path: key, node: value }))
  }
}

function checkUrl({ fields, found, nodes, problems }: Draft): void {
  const url = fields.url
  if (url === undefined || !isLiteral(url) || !URL.canParse(showTemplate(url))) return
  const { protocol, hostname, username, password, hash } = new URL(showTemplate(url))
  const refuse = (message: string): void => void problems.push(invalidConfig(found, message, nodes['url']))
  if (username !== '' || password !== '') refuse('`url` must not hold a user name or password')
  if (hash !== '') refuse('`url` must not have a fragment')
  const isLoopback = /^(?:localhost|\[::1\]|127(?:\.\d+){3})$/.test(hostname)
  if (protocol === 'http:' && !isLoopback) refuse('`url` must begin with `https://`, except on this machine')
}

export const agentPlugins: Dialect = {
  id: 'agent-plugins',
  fields: {
    type: typeAmong(Object.keys(FIELDS_OF)),
    command: containedCommand,
    args: templates('args'),
    env,
    cwd: containedCwd,
    url: template('url'),
    headers,
  },
  syntaxes: [],
  values: 'literal',
  typeOfUrl: 'http',
  unknownField: 'invalid',
  check,
}
