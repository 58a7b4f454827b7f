/**
 * trust: collects the facts about a server of a repository that the user approves, and checks whether an approval still
 * holds.
 *
 * in     a definition, the executable of its command, the stored decision
 * out    the facts that an approval is bound to; approved, or the fate of the entry
 * never  puts in values of variables: the facts are the unexpanded definition
 */
import { sha256 } from '../../base/sha256.ts'
import { toRawJson, toStableJson } from '../../base/stable-json.ts'
import type { Change, Fate } from '../../model/catalog.ts'
import type { Auth, OAuth, ServerDefinition, TemplateMap } from '../../model/definition.ts'
import type { DialectId } from '../../model/entry.ts'
import type { Scope } from '../../model/origin.ts'
import { USES, type TrustDecision, type TrustFacts } from '../../model/trust.ts'
import { expandForComparison, showReferences, showTemplate, type Template } from '../../model/template.ts'
import type { Env } from '../../world/world.ts'
import type { Program } from './executable.ts'

export type Distrust = Extract<Fate, { kind: 'untrusted' | 'declined' }>

/** The user's decisions about servers of this name. */
export interface Decisions {
  readonly all: readonly TrustDecision[]
  /** Decisions that match no present entry: the server has changed since. */
  readonly stale: readonly TrustDecision[]
}

/** Undefined when the user approved exactly these facts. */
export function findDistrust(facts: TrustFacts, { all, stale }: Decisions): Distrust | undefined {
  const decision = all.find((one) => isAbout(one, facts))
  if (decision?.decision === 'approved') return undefined
  if (decision?.decision === 'declined') {
    return { kind: 'declined', reason: `you declined it on ${decision.at.slice(0, 10)}` }
  }
  const last = stale.at(-1)
  if (last === undefined) return { kind: 'untrusted', reason: 'a project server waits for your approval' }
  if (isFromBefore(last.facts)) return { kind: 'untrusted', reason: MORE_IS_SHOWN, changed: [] }
  const changed = compareFacts(last.facts, facts)
  return { kind: 'untrusted', reason: `it changed since you ${last.decision} it`, changed }
}

const MORE_IS_SHOWN = 'you decided before Plugboard showed what a server is given, so it asks again'

/** Whether a decision holds for these facts. */
export function isAbout({ decision, facts: decided }: TrustDecision, facts: TrustFacts): boolean {
  if (!isFromBefore(decided)) return compareFacts(decided, facts).length === 0
  // An older version recorded fewer facts: enough to keep refusing the server, and too few to run it.
  return decision === 'declined' && KNOWN_BEFORE.every((field) => decided[field] === facts[field])
}

const KNOWN_BEFORE: readonly string[] = ['type', 'command', 'args', 'cwd', 'url']

/** A version that did not record the references of an entry wrote this. */
function isFromBefore(facts: TrustFacts): boolean {
  return facts['definition'] === undefined
}

/** `definition` shows only that something changed, so it is reported only when no other fact changed. */
export function compareFacts(was: TrustFacts, is: TrustFacts): readonly Change[] {
  const fields = new Set([...Object.keys(was), ...Object.keys(is)])
  const changes = [...fields]
    .filter((field) => was[field] !== is[field])
    .map((field) => ({
      field,
      ...(was[field] === undefined ? {} : { was: was[field] }),
      ...(is[field] === undefined ? {} : { is: is[field] }),
    }))
  const named = changes.filter(({ field }) => field !== 'definition')
  return named.length > 0 ? named : changes
}

/** The surroundings that a definition depends on. */
export interface Ground {
  /** The program of the command today; undefined for a remote server. */
  readonly program: Program | undefined
  /** The folder where relative paths begin. */
  readonly baseDir: string
  /** How to read its text: `{file:…}` is a reference in one dialect and plain text in another. */
  readonly dialect: DialectId
  readonly env: Env
  /** Absent if the file may not be read yet, or the entry has none. */
  readonly envFile?: EnvFileFacts
}

export interface EnvFileFacts {
  /** A full hash, or the reason why there is none. */
  readonly content: string
  readonly variables: readonly string[]
}

export function toTrustFacts(definition: ServerDefinition, ground: Ground): TrustFacts {
  const facts: Record<string, string> = { type: definition.transport.type }
  const put = (field: string, value: Template | string | undefined): void => {
    if (value !== undefined) facts[field] = typeof value === 'string' ? value : showTemplate(value)
  }
  const putMap = (field: string, map: TemplateMap): void => {
    for (const [key, value] of map) facts[`${field}.${key}`] = toFact(showTemplate(value), definition.values)
  }
  const { transport, name: _, description: __, auth, ...rest } = definition
  switch (transport.type) {
    case 'stdio':
      put('command', transport.command)
      put('executable', showProgram(ground.program))
      put('base', ground.baseDir)
      put('args', JSON.stringify(transport.args.map(showTemplate)))
      put('cwd', transport.cwd)
      put('envFile', transport.envFile)
      put('envFile.content', ground.envFile?.content)
      put('envFile.variables', ground.envFile?.variables.join(', '))
      putMap('env', transport.env)
      break
    case 'http':
    case 'sse':
    case 'ws':
      put('url', transport.url)
      put('headersHelper', transport.headersHelper)
      putMap('header', transport.headers)
      if (transport.type !== 'ws' && transport.oauth !== undefined)
        facts['oauth'] = secret(toRawJson(transport.oauth))
      break
    case 'sse-ide':
    case 'ws-ide':
      put('url', transport.url)
      put('ideName', transport.ideName)
      put(
        'ideRunningInWindows',
        transport.ideRunningInWindows === undefined ? undefined : String(transport.ideRunningInWindows),
      )
      if (transport.authToken !== undefined) facts['authToken'] = secret(showTemplate(transport.authToken))
      break
    case 'sdk':
      put('name', transport.sdkName)
      break
    case 'claudeai-proxy':
      put('url', transport.url)
      put('id', transport.id)
  }
  if (auth !== undefined) facts['auth'] = secret(toRawJson(auth))
  for (const [field, value] of Object.entries(rest))
    facts[field] = typeof value === 'string' ? value : JSON.stringify(value)
  for (const [field, what] of findUses(definition, ground.env)) facts[USES + field] = what
  facts['dialect'] = ground.dialect
  // The facts above are for the user to read: two templates can look the same there, and their hashes are shortened.
  facts['definition'] = sha256(toStableJson({ transport, auth, rest }))
  return facts
}

/**
 * By field, what an entry takes from the user's machine, and where it sends a credential: variables, files, sign-ins,
 * and the addresses of its OAuth.
 */
function findUses(definition: ServerDefinition, env: Env): ReadonlyMap<string, string> {
  const { transport, auth, values } = definition
  const uses = new Map<string, string>()
  const put = (field: string, texts: readonly string[]): void => {
    if (texts.length > 0) uses.set(field, texts.join(', '))
  }
  const putMap = (name: string, map: TemplateMap): void => {
    for (const [key, value] of map) {
      const named = values === 'resolvable' ? findNamedVariable(value, env) : undefined
      put(`${name}.${key}`, [...showReferences(value), ...(named === undefined ? [] : [`\${${named}}`])])
    }
  }
  for (const [field, value] of Object.entries(transport) as readonly (readonly [string, unknown])[]) {
    if (field === 'env' || field === 'headers')
      putMap(field === 'env' ? 'env' : 'header', value as TemplateMap)
    else if (field === 'args') put(field, (value as readonly Template[]).flatMap(showReferences))
    else if (field === 'oauth') putAll(put, 'oauth', value as OAuth)
    else if (Array.isArray(value)) put(field, showReferences(value as Template))
  }
  if (auth !== undefined) putAll(put, 'auth', auth)
  return uses
}

function putAll(
  put: (field: string, texts: readonly string[]) => void,
  name: 'oauth' | 'auth',
  settings: OAuth | Auth,
): void {
  for (const [key, value] of Object.entries(settings) as readonly (readonly [string, unknown])[]) {
    const field = `${name}.${key}`
    if (key === 'credentialId') put(field, [`the sign-in \`${String(value)}\``])
    else if (key.endsWith('File')) put(field, [`{file:${showTemplate(value as Template)}}`])
    else if (Array.isArray(value) && key !== 'scopes') put(field, showReferences(value as Template))
    else if (typeof value === 'string' && /^[a-z]+:\/\//i.test(value)) put(field, [value])
  }
}

/** If a value can be the name of a variable, the name may also be composed, or be a default. */
function findNamedVariable(value: Template, env: Env): string | undefined {
  const text = expandForComparison(value, env)
  return Object.hasOwn(env, text) && env[text] !== undefined ? text : undefined
}

function showProgram(program: Program | undefined): string {
  if (program === undefined || program.kind === 'missing') return 'not found'
  return program.kind === 'found' ? program.path : 'not known before it starts'
}

/**
 * Grants and pins are bound to this: the program or address, with its values. Timeouts and tool filters do not make
 * another server. For a server of a repository, the folder and the dialect count, because `node server.js` is another
 * program in every clone. A server that the user configured is the same everywhere.
 */
export function fingerprintOfTrust(facts: TrustFacts, scope: Scope): string {
  const kept = Object.entries(facts).filter(
    ([field]) =>
      !TREATMENT.has(field) &&
      !field.startsWith(USES) &&
      (scope === 'project' || !OF_REPOSITORIES.has(field)),
  )
  return sha256(JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1))))
}

const OF_REPOSITORIES: ReadonlySet<string> = new Set(['base', 'dialect'])

const TREATMENT: ReadonlySet<string> = new Set([
  'definition',
  'envFile.content',
  'envFile.variables',
  'timeoutMs',
  'maxDurationMs',
  'startupTimeoutMs',
  'required',
  'includeTools',
  'excludeTools',
  'supportsParallelCalls',
  'isolation',
])

/** A hash, which shows a change but not the value. */
function secret(value: string): string {
  return `sha256:${sha256(value).slice(0, 16)}`
}

/** The user must see a value that is a command; any other may be a secret. */
function toFact(value: string, values: ServerDefinition['values']): string {
  return values === 'resolvable' && value.startsWith('!') ? value : secret(value)
}
