/**
 * goose: calls a server an extension, and requires its name and that it is on. The values of the variables that an
 * entry names come from goose's keyring; whole seconds.
 */
import type { TemplateMap } from '../../model/definition.ts'
import { isLiteral, type Template } from '../../model/template.ts'
import { VARIABLES_ALONE } from './spelling.ts'
import { seconds, soleVariable, toObject, type Pen, type Put, type Writer } from './writer.ts'

const env: Put<'env'> = (pen, map) => {
  const passed = [...map].filter(([name, value]) => soleVariable(value) === name).map(([name]) => name)
  const others = [...map].filter(([name]) => !passed.includes(name))
  // goose fills even `envs` only with variables that the entry lists.
  const keys = [...new Set([...passed, ...namesIn(new Map(others))])]
  for (const name of keys.filter((one) => !passed.includes(one)))
    pen.unsay(`env.${name}`, 'passes on every variable that it puts into another')
  if (others.length > 0) pen.put('envs', toObject(pen, 'env', others))
  if (keys.length > 0) pen.put('env_keys', keys)
}

const uri: Put<'url'> = (pen, url) => {
  pen.put('uri', pen.spell(url, 'url'))
  noteNames(pen)
}

const headers: Put<'headers'> = (pen, map) => {
  pen.put('headers', toObject(pen, 'headers', map))
  noteNames(pen)
}

/** goose looks up a variable in the address or headers only if the entry lists it. */
function noteNames(pen: Pen): void {
  const { url = [], headers: map = new Map() } = pen.facts
  const names = [...new Set([...namesIn(new Map([['', url]])), ...namesIn(map)])]
  if (names.length > 0) pen.put('env_keys', names)
}

function namesIn(map: TemplateMap): readonly string[] {
  return [...map.values()].flatMap((value: Template) =>
    value.flatMap((part) => (typeof part === 'object' && part.kind === 'env' ? [part.name] : [])),
  )
}

/** goose replaces nothing in the command. */
const command: Put<'command'> = (pen, word) => pen.put('cmd', asItStands(pen, word, 'command'))

const args: Put<'args'> = (pen, words) =>
  pen.put(
    'args',
    words.map((word, i) => asItStands(pen, word, `args[${i}]`)),
  )

function asItStands(pen: Pen, word: Template, field: string): string {
  if (!isLiteral(word)) pen.unsay(field, 'puts no variables into a command line')
  return pen.spell(word, field)
}

export const goose: Writer = {
  dialect: 'goose',
  types: { stdio: 'stdio', http: 'streamable_http', auto: 'streamable_http', sse: 'sse' },
  fallsBack: false,
  begin: (pen) => {
    pen.put('enabled', pen.facts.enabled ?? true)
    pen.put('name', pen.server)
  },
  rows: {
    type: (pen, word) => {
      pen.put('type', word)
      if (pen.kind === 'sse') pen.unsay('type', 'no longer connects to SSE servers')
    },
    enabled: () => undefined,
    description: 'description',
    command,
    args,
    env,
    url: uri,
    headers,
    timeout: seconds('timeout', 'timeout', 'whole'),
    includeTools: (pen, names) => {
      // An empty list means all tools to goose.
      if (names.length > 0) pen.put('available_tools', names)
      else pen.unsay('includeTools', 'takes an empty list for all tools')
    },
  },
  spelling: VARIABLES_ALONE,
  values: 'literal',
}
