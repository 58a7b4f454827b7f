/**
 * trust-question: what a person sees before a server of a repository may run.
 *
 * The command and its arguments are shown exactly, since they are what is approved; of variables and headers only the
 * names, of an address all but its credentials. Every variable, file and sign-in that the server is given is named with
 * its field. A long text is shortened from the middle, so that nothing pushes the rest off the screen.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Change } from '../../model/catalog.ts'
import type { Spot } from '../../model/origin.ts'
import type { Action } from '../../model/permission.ts'
import { showMatch } from '../../model/policy.ts'
import { USES, type TrustFacts } from '../../model/trust.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { TrustQuestion } from '../../runtime/trust.ts'
import { maskShown, readArgs } from '../../problem/mask-fact.ts'
import type { Paint } from './paint.ts'
import { showSpot, type Here } from './show-path.ts'

export const WARNING = [
  'An MCP server can do whatever you can: read and write your files, use your network and your accounts.',
  'Your approval covers what is shown here, not the contents of the scripts and packages it runs.',
].join('\n')

export function showQuestion(
  question: TrustQuestion,
  { here, paint }: { readonly here: Here; readonly paint: Paint },
): string {
  const { name, entry, facts, changed, enabledElsewhere } = question
  const rows = [
    ...showFacts(facts),
    ...enabledElsewhere.map((by) => ['note', `enabled in Claude Code (${showSpot(by, here)})`] as const),
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  return [
    `${paint.bold(toPrintable(name))}  ${paint.dim(showSpot(entry.entry.found.origin, here))}`,
    ...rows.map(
      ([label, value]) => `  ${paint.cyan(label.padEnd(width))}  ${toPrintable(shorten(value, LONGEST_ROW))}`,
    ),
    ...(changed.length === 0
      ? []
      : ['  changed since you decided:', ...changed.flatMap((change) => showChange(change, paint))]),
  ].join('\n')
}

const LONGEST_WORD = 200
const MOST_WORDS = 40
const LONGEST_ROW = 2000
const LONGEST_CHANGE = 400

function showCommandLine({ command, args }: TrustFacts): string | undefined {
  if (command === undefined) return undefined
  const words = [command, ...readArgs(args ?? '[]')].map((word) => shorten(quote(word), LONGEST_WORD))
  if (words.length <= MOST_WORDS) return words.join(' ')
  const half = MOST_WORDS / 2
  const left = `[… ${words.length - MOST_WORDS} more arguments …]`
  return [...words.slice(0, half), left, ...words.slice(-half)].join(' ')
}

/** From the middle: what a long text is about stands mostly at its ends. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const half = longest / 2
  return `${text.slice(0, half)} [… ${text.length - longest} more characters …] ${text.slice(-half)}`
}

function showFacts(facts: TrustFacts): readonly (readonly [string, string])[] {
  const names = (prefix: string): string =>
    Object.keys(facts)
      .filter((field) => field.startsWith(prefix))
      .map((field) => field.slice(prefix.length))
      .join(', ')
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['type', facts['type']],
    ['runs', showCommandLine(facts)],
    ['program', facts['executable']],
    ['folder', facts['cwd']],
    ['variables', names('env.')],
    ['variables from', showEnvFile(facts)],
    ['reaches', facts['url'] === undefined ? undefined : maskShown(facts['url'])],
    ['headers', names('header.')],
    ['runs for headers', facts['headersHelper']],
    ...Object.entries(facts)
      .filter(([field, value]) => /^(?:env|header)\./.test(field) && value.startsWith('!'))
      .map(([field, value]) => [`runs for ${field}`, value.slice(1)] as const),
    ...Object.entries(facts)
      .filter(([field]) => field.startsWith(USES))
      .map(([field, what]) => ['uses', `${what} in ${field.slice(USES.length)}`] as const),
    ['inherits', facts['inheritEnv'] === 'true' ? 'your whole environment' : undefined],
  ]
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
}

/** The file with the names of its variables: `./.env (NODE_OPTIONS, TOKEN)`. */
function showEnvFile(facts: TrustFacts): string | undefined {
  const file = facts['envFile']
  if (file === undefined) return undefined
  const content = facts['envFile.content'] ?? 'not read yet'
  const found = content.startsWith('sha256:') ? facts['envFile.variables'] || 'no variables' : content
  return `${file} (${found})`
}

function showChange({ field, was, is }: Change, paint: Paint): readonly string[] {
  const [before, after] = [was, is].map((value) => (value === undefined ? undefined : showFact(field, value)))
  const name = toPrintable(field)
  if (before === after) return [paint.yellow(`    ~ ${name}: another value, which is not shown`)]
  return [
    ...(before === undefined ? [] : [paint.red(`    - ${name}: ${before}`)]),
    ...(after === undefined ? [] : [paint.green(`    + ${name}: ${after}`)]),
  ]
}

/** Values of variables and headers are known as hashes alone. */
function showFact(field: string, value: string): string {
  if (value.startsWith('sha256:')) return 'a value that is not shown'
  return toPrintable(shorten(field === 'url' ? maskShown(value) : value, LONGEST_CHANGE))
}

function quote(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word)
}

/** Approving one server of a project puts its rules into force, for every server there is. */
export function rulesNote({ projectDeny, projectRules }: LoadedCatalog, here: Here): string[] {
  const toolsOf = (wanted: Action): readonly Named[] =>
    projectRules
      .filter(({ action }) => action === wanted)
      .map(({ tool, by }) => ({ text: tool, ...(by === undefined ? {} : { by }) }))
  const denied = [...projectDeny.map(({ match, by }) => ({ text: showMatch(match), by })), ...toolsOf('deny')]
  const asked = toolsOf('ask')
  return [
    ...(denied.length === 0
      ? []
      : [`With it, what this project denies is denied here: ${showNamed(denied, here)}.`]),
    ...(asked.length === 0
      ? []
      : [`With it, what this project wants to be asked is asked here: ${showNamed(asked, here)}.`]),
  ]
}

interface Named {
  readonly text: string
  readonly by?: Spot
}

function showNamed(rules: readonly Named[], here: Here): string {
  const texts = rules.map(({ text }) => `\`${toPrintable(text)}\``).join(', ')
  const by = rules[0]?.by
  return by === undefined ? texts : `${texts} (${showSpot(by, here)})`
}
