/**
 * question: what a person sees before a server of a repository may run.
 *
 * The command and its arguments are shown exactly, since they are what is approved; of variables and headers only the
 * names.
 */
import { toPrintable } from '../../../../base/printable.ts'
import type { Change } from '../../../../model/catalog.ts'
import type { TrustFacts } from '../../../../model/trust.ts'
import type { TrustQuestion } from '../../../../runtime/trust.ts'
import type { Paint } from '../../../shared/paint.ts'
import { showSpot, type Here } from '../../../shared/show-path.ts'

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
    ...rows.map(([label, value]) => `  ${paint.cyan(label.padEnd(width))}  ${toPrintable(value)}`),
    ...(changed.length === 0
      ? []
      : ['  changed since you decided:', ...changed.flatMap((change) => showChange(change, paint))]),
  ].join('\n')
}

/** The command line of a server, or its address, in one line. */
export function showTarget(facts: TrustFacts): string {
  if (facts['command'] !== undefined) return [facts['command'], ...readArgs(facts)].map(quote).join(' ')
  return facts['url'] ?? facts['name'] ?? ''
}

function showFacts(facts: TrustFacts): readonly (readonly [string, string])[] {
  const names = (prefix: string): string =>
    Object.keys(facts)
      .filter((field) => field.startsWith(prefix))
      .map((field) => field.slice(prefix.length))
      .join(', ')
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['type', facts['type']],
    ['runs', facts['command'] === undefined ? undefined : showTarget(facts)],
    ['program', facts['executable']],
    ['in', facts['cwd']],
    ['variables', names('env.')],
    ['reads', facts['envFile']],
    ['reaches', facts['url']],
    ['headers', names('header.')],
    ['runs for headers', facts['headersHelper']],
    ['inherits', facts['inheritEnv'] === 'true' ? 'your whole environment' : undefined],
  ]
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
}

function showChange({ field, was, is }: Change, paint: Paint): readonly string[] {
  const show = (value: string): string => (value.startsWith('sha256:') ? 'another value' : toPrintable(value))
  if (was?.startsWith('sha256:') && is !== undefined)
    return [paint.yellow(`    ~ ${toPrintable(field)}: its value`)]
  return [
    ...(was === undefined ? [] : [paint.red(`    - ${toPrintable(field)}: ${show(was)}`)]),
    ...(is === undefined ? [] : [paint.green(`    + ${toPrintable(field)}: ${show(is)}`)]),
  ]
}

function readArgs(facts: TrustFacts): readonly string[] {
  const args: unknown = JSON.parse(facts['args'] ?? '[]')
  return Array.isArray(args) ? args.map(String) : []
}

function quote(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word)
}
