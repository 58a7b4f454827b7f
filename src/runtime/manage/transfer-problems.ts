/**
 * transfer-problems: why a server does not go from one agent's file into another's, or not completely.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { findNearest } from '../../base/edit-distance.ts'
import type { ServerKind, Unsaid } from '../../edit/dialects/writer.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import { SOURCE_TITLES, type SourceId } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem, createWarning, whereOrigin } from '../../problem/problem.ts'
import type { Platform } from '../../world/world.ts'

/** The agent that reads the written file. */
interface Reader {
  readonly source: SourceId
  readonly title: string
}

export function unknownAgent(given: string, known: readonly SourceId[]): Problem {
  const nearest = findNearest(given, known)
  return createProblem({
    code: 'manage/unknown-agent',
    message: `there is no agent \`${given}\` that Plugboard knows`,
    hints: nearest === undefined ? [`one of: ${known.join(', ')}`] : [`did you mean \`${nearest}\`?`],
  })
}

export function noSuchScope(agent: SourceId, scope: string, scopes: readonly string[]): Problem {
  return createProblem({
    code: 'manage/no-such-scope',
    message: `${SOURCE_TITLES[agent]} has no file for servers of the ${scope} scope`,
    hints: scopes.length === 0 ? [] : [`use ${scopes.map((one) => `\`--scope ${one}\``).join(' or ')}`],
  })
}

export function noSuchServer(
  name: string,
  {
    title,
    known,
    elsewhere,
    problems,
  }: {
    readonly title: string
    readonly known: readonly string[]
    /** Another agent that has a server of this name. */
    readonly elsewhere?: SourceId | undefined
    /** The problems of its files: the server may be in one of them. */
    readonly problems: readonly Problem[]
  },
): Problem {
  const nearest = findNearest(name, known)
  const unread = problems.filter(({ severity, where }) => severity === 'error' && where !== undefined)
  return createProblem({
    code: 'manage/unknown-server',
    message: `${title} has no server named \`${name}\``,
    notes: [
      known.length === 0 ? 'it has none' : `it has: ${known.join(', ')}`,
      ...unread.map(({ where, message }) => `could not look into ${where!.file}: ${message}`),
    ],
    hints: [
      ...(elsewhere === undefined
        ? []
        : [`${SOURCE_TITLES[elsewhere]} has one: \`plugboard import ${elsewhere} …\``]),
      ...(nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]),
    ],
  })
}

export function nothingNamed(agent: SourceId, names: readonly string[]): Problem {
  return createProblem({
    code: 'manage/nothing-named',
    message: 'nobody is asked here, so the servers to import must be named',
    notes: [`${SOURCE_TITLES[agent]} has: ${names.join(', ')}`],
    hints: [
      `name them: \`plugboard import ${agent} <server>\``,
      `or import all of them: \`plugboard import ${agent} --all\``,
    ],
  })
}

/** Plugboard copies nothing from a file that it cannot understand. */
export function notUnderstood({ entry }: CatalogEntry): Problem {
  const { name, origin } = entry.found
  const problems =
    entry.kind === 'invalid' ? entry.problems : entry.kind === 'unsupported' ? [entry.problem] : []
  const [first] = problems
  return createProblem({
    code: 'manage/not-understood',
    message: `\`${name}\` is left out: ${first?.message ?? 'it cannot be used'}`,
    where: first?.where ?? whereOrigin(origin, name),
    hints: first?.hints ?? [],
  })
}

export function comesWithPlugin({ entry }: CatalogEntry): Problem {
  const { name, origin } = entry.found
  return createProblem({
    code: 'manage/not-its-own',
    message: `\`${name}\` is left out: it comes from ${WHENCE[origin.scope] ?? 'elsewhere'}, and stays there`,
    where: whereOrigin(origin, name),
  })
}

/** `shown`: the existing entry, without its values. */
export function nameIsTaken(
  { name, file, shown }: { readonly name: string; readonly file: string; readonly shown: readonly string[] },
  { target, platform }: { readonly target: Reader; readonly platform: Platform },
): Problem {
  const hint =
    target.source === 'plugboard'
      ? `to put the other in its place, run \`${toCommandLine('plugboard remove', [name], platform)}\` first`
      : `to put the other in its place, take this one out of the file of ${target.title} first`
  const message = `Server "${name}" already exists in ${file}`
  return createProblem({ code: 'manage/exists', message, notes: shown, hints: [hint] })
}

/** Two names that become the same in the spelling of our files. */
export function sameName({ entry }: CatalogEntry, name: string, other: CatalogEntry): Problem {
  const { origin } = entry.found
  return createProblem({
    code: 'manage/same-name',
    message: `\`${entry.found.name}\` is left out: it would be called \`${name}\`, as \`${other.entry.found.name}\` is`,
    where: whereOrigin(origin, entry.found.name),
  })
}

const WHENCE: Readonly<Record<string, string>> = {
  plugin: 'a plugin',
  connector: 'a connector',
  managed: 'the organisation',
  dynamic: 'this command line',
}

const KINDS: Readonly<Record<ServerKind, string>> = {
  stdio: 'that are started',
  http: 'that are reached over HTTP',
  auto: 'that are reached over HTTP',
  sse: 'that are reached over SSE',
  ws: 'that are reached over WebSocket',
  'sse-ide': 'of an editor',
  'ws-ide': 'of an editor',
  sdk: 'inside of a program',
  'claudeai-proxy': 'behind the proxy of claude.ai',
}

export function noSuchKind({ entry }: CatalogEntry, kind: ServerKind, target: Reader): Problem {
  const { name, origin } = entry.found
  return createProblem({
    code: 'manage/no-such-kind',
    message: `\`${name}\` is left out: ${target.title} has no servers ${KINDS[kind]}`,
    where: whereOrigin(origin, name),
  })
}

export function isOffHere({ entry }: CatalogEntry, target: Reader, platform: Platform): Problem {
  const { name, origin } = entry.found
  return createProblem({
    code: 'manage/is-off',
    message: `\`${name}\` is left out: it is turned off, and in a file of ${target.title} it would be on`,
    where: whereOrigin(origin, name),
    hints: [
      `to export it all the same, name it: \`${toCommandLine(`plugboard export ${target.source}`, [name], platform)}\``,
    ],
  })
}

/** The user never approved this server of a repository: a copy could run without a question. */
export function needsConsent({ entry, fate }: CatalogEntry, platform: Platform): Problem {
  const { name, origin } = entry.found
  const isDeclined = fate.kind === 'declined'
  const why = isDeclined ? 'you declined it' : 'it waits for your approval'
  const look = isDeclined ? toCommandLine('plugboard trust show', [name], platform) : 'plugboard trust'
  return createProblem({
    code: 'manage/needs-consent',
    message: `\`${name}\` is left out: the repository declares it, and ${why}`,
    where: whereOrigin(origin, name),
    notes: ['where no question can be asked, it is taken along with `--yes` alone'],
    hints: [`to see what it would run, run \`${look}\``],
  })
}

export function secretInRepository({ entry }: CatalogEntry, fields: readonly string[]): Problem {
  const { name, origin } = entry.found
  return createProblem({
    code: 'manage/secret-in-project',
    message: `\`${name}\` is left out: it would put what looks like a secret into a file of the repository`,
    where: whereOrigin(origin, name),
    notes: [`what: ${fields.join(', ')}`],
    hints: [
      'put the value into a variable, write `${NAME}` in its place where it stands now, then try again',
      'or keep the server to yourself: `--scope user`',
    ],
  })
}

/** What is lost or changed in the transfer. */
export function notInFull(name: string, { title }: Reader, losses: readonly string[]): Problem {
  return createWarning({
    code: 'manage/not-in-full',
    message: `\`${name}\` is not quite the same in ${title}`,
    notes: losses,
  })
}

export function showUnsaid({ field, why }: Unsaid, title: string): string {
  return `\`${field}\`: ${title} ${why ?? 'has no word for it'}`
}
