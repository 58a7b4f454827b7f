/**
 * trust-question: what the user sees before a server of a repository may run.
 *
 * The command and its arguments are shown exactly, because the user approves them. Of variables and headers only the
 * names are shown, and of an address all but its credentials. Every variable, file and sign-in that the server gets is
 * named with its field. A long text is shortened in its middle and says by how much, so that it cannot hide the text
 * after it.
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
import type { Brush, Paint } from './paint.ts'
import { leaveOut, shortenDifference, shortenList, shortenText, shortenUrl, type Form } from './shorten.ts'
import { showSpot, type Here } from './show-path.ts'
import { widthOf } from './width.ts'
import { wrap } from './wrap.ts'

export const WARNING = [
  'An MCP server can do whatever you can: read and write your files, use your network and your accounts.',
  'Your approval covers what is shown here, not the contents of the scripts and packages it runs.',
].join('\n')

export interface QuestionView {
  readonly here: Here
  readonly paint: Paint
  /** The width at which lines break. Undefined: lines are not broken. */
  readonly columns: number | undefined
  /** Default: `short`. */
  readonly form?: Form
  /** The event since which it changed. Default: `you decided`. */
  readonly since?: 'you decided' | 'you were asked'
}

export function showQuestion(question: TrustQuestion, view: QuestionView): string {
  const { here, paint, columns = Infinity, form = 'short', since = 'you decided' } = view
  const { name, entry, facts, changed, enabledElsewhere } = question
  const rows = [
    ...showFacts(facts, form),
    ...enabledElsewhere.map((by): Row => ['note', `enabled in Claude Code (${showSpot(by, here)})`]),
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = [
    ...showTitle(shortenText(toPrintable(name), form), showSpot(entry.entry.found.origin, here), view),
    ...rows.flatMap((row) => showRow(row, { width, columns, paint })),
    ...(changed.length === 0 ? [] : [`  changed since ${since}:`]),
    ...changed
      .flatMap((change) => showChange(change, form, paint))
      .flatMap(({ text, brush }) => hang(text, columns, CHANGE_INDENT).map(brush)),
  ]
  return lines.join('\n')
}

/** Whether the short form leaves something out. */
export function isShortened(question: TrustQuestion, view: QuestionView): boolean {
  return (
    showQuestion(question, { ...view, form: 'short' }) !== showQuestion(question, { ...view, form: 'whole' })
  )
}

function showTitle(name: string, spot: string, { paint, columns = Infinity }: QuestionView): string[] {
  if (widthOf(`${name}  ${spot}`) <= columns) return [`${paint.bold(name)}  ${paint.dim(spot)}`]
  return [...hang(name, columns, ROW_INDENT), ...hang(`  ${spot}`, columns, ROW_INDENT).map(paint.dim)]
}

type Row = readonly [label: string, value: string]

interface RowLayout {
  /** The width of all labels. */
  readonly width: number
  readonly columns: number
  readonly paint: Paint
}

/** A long value continues beside or below its label, further indented, so that no value looks like a row of ours. */
function showRow([label, value]: Row, { width, columns, paint }: RowLayout): string[] {
  const indent = ROW_INDENT + width
  const isBelow = columns - indent < Math.min(LEAST_COLUMNS, widthOf(value))
  if (isBelow) {
    const lines = wrap(value, columns - VALUE_INDENT)
    return [`  ${paint.cyan(label)}`, ...lines.map((line) => ' '.repeat(VALUE_INDENT) + line)]
  }
  const [first = '', ...rest] = wrap(value, columns - indent)
  return [`  ${paint.cyan(label.padEnd(width))}  ${first}`, ...rest.map((line) => ' '.repeat(indent) + line)]
}

/** Two spaces on each side of a label. */
const ROW_INDENT = 4
/** The indent of a value below its label. */
const VALUE_INDENT = 6
const CHANGE_INDENT = 8
/** A value always gets at least this many columns. */
const LEAST_COLUMNS = 24

function hang(text: string, columns: number, indent: number): string[] {
  const [first = '', ...rest] = wrap(text, columns - indent)
  return [first, ...rest.map((line) => ' '.repeat(indent) + line)]
}

function showFacts(facts: TrustFacts, form: Form): readonly Row[] {
  const namesIn = (prefix: string): string => showNames(namesOf(facts, prefix), form)
  const text = (value: string | undefined): string => shortenText(toPrintable(value ?? ''), form)
  const uses = namesOf(facts, USES).map((field) => text(`${facts[USES + field]} in ${field}`))
  const rows: readonly Row[] = [
    ['type', text(facts['type'])],
    ['runs', showCommandLine(facts, form)],
    ['program', text(facts['executable'])],
    ['folder', text(facts['cwd'])],
    ['variables', namesIn('env.')],
    ['variables from', showEnvFile(facts, form)],
    ['reaches', shortenUrl(toPrintable(maskShown(facts['url'] ?? '')), form)],
    ['headers', namesIn('header.')],
    ['runs for headers', text(facts['headersHelper'])],
    ...valueCommands(facts).map(([field, command]): Row => {
      const label = toPrintable(`runs for ${field}`)
      return label.length <= LONGEST_LABEL
        ? [label, text(command)]
        : ['runs for a value', `${text(field)}: ${text(command)}`]
    }),
    ...leaveOut(uses, form, 'of these').map((one): Row => ['uses', one]),
    ['inherits', facts['inheritEnv'] === 'true' ? 'your whole environment' : ''],
  ]
  return rows.filter(([, value]) => value !== '')
}

const LONGEST_LABEL = 40

/** The facts whose names begin with the prefix, without the prefix. */
export function namesOf(facts: TrustFacts, prefix: string): readonly string[] {
  return Object.keys(facts)
    .filter((field) => field.startsWith(prefix))
    .map((field) => field.slice(prefix.length))
}

/** Values of variables and headers that contain commands, by field. */
export function valueCommands(facts: TrustFacts): readonly (readonly [field: string, command: string])[] {
  return Object.entries(facts)
    .filter(([field, value]) => /^(?:env|header)\./.test(field) && value.startsWith('!'))
    .map(([field, value]) => [field, value.slice(1)])
}

function showCommandLine({ command, args }: TrustFacts, form: Form): string {
  if (command === undefined) return ''
  const words = [command, ...readArgs(args ?? '[]')].map((word) => toPrintable(quote(word)))
  return shortenList(words, { form, between: ' ', what: 'arguments' })
}

function showNames(names: readonly string[], form: Form): string {
  return shortenList(
    names.map((name) => toPrintable(quote(name))),
    { form, between: ', ', what: 'names' },
  )
}

/** The file with the names of its variables: `./.env (NODE_OPTIONS, TOKEN)`. */
function showEnvFile(facts: TrustFacts, form: Form): string {
  const file = facts['envFile']
  if (file === undefined) return ''
  const content = facts['envFile.content'] ?? 'not read yet'
  const names = (facts['envFile.variables'] ?? '').split(', ').filter((name) => name !== '')
  const found = content.startsWith('sha256:') ? showNames(names, form) || 'no variables' : content
  return `${shortenText(toPrintable(file), form)} (${found})`
}

interface ChangeLine {
  readonly text: string
  readonly brush: Brush
}

function showChange({ field, was, is }: Change, form: Form, paint: Paint): readonly ChangeLine[] {
  const [before, after] = [was, is].map((value) => (value === undefined ? undefined : showFact(field, value)))
  const name = shortenText(toPrintable(field), form)
  if (before === after)
    return [{ text: `    ~ ${name}: another value, which is not shown`, brush: paint.yellow }]
  const [old, now] = shortenDifference(before ?? '', after ?? '', form)
  return [
    ...(before === undefined ? [] : [{ text: `    - ${name}: ${old}`, brush: paint.red }]),
    ...(after === undefined ? [] : [{ text: `    + ${name}: ${now}`, brush: paint.green }]),
  ]
}

/** Values of variables and headers are known only as hashes. */
function showFact(field: string, value: string): string {
  if (value.startsWith('sha256:')) return 'a value that is not shown'
  return toPrintable(field === 'url' ? maskShown(value) : value)
}

function quote(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word)
}

/** Approving one server of a project activates the rules of the project, for every server. */
export function rulesNote(
  { projectDeny, projectRules }: LoadedCatalog,
  here: Here,
  form: Form = 'short',
): string[] {
  const toolsOf = (wanted: Action): readonly Named[] =>
    projectRules
      .filter(({ action }) => action === wanted)
      .map(({ tool, by }) => ({ text: tool, ...(by === undefined ? {} : { by }) }))
  const denied = [...projectDeny.map(({ match, by }) => ({ text: showMatch(match), by })), ...toolsOf('deny')]
  const asked = toolsOf('ask')
  return [
    ...(denied.length === 0
      ? []
      : [`With it, what this project denies is denied here: ${showNamed(denied, here, form)}.`]),
    ...(asked.length === 0
      ? []
      : [`With it, what this project wants to be asked is asked here: ${showNamed(asked, here, form)}.`]),
  ]
}

interface Named {
  readonly text: string
  readonly by?: Spot
}

function showNamed(rules: readonly Named[], here: Here, form: Form): string {
  const words = rules.map(({ text }) => `\`${toPrintable(text)}\``)
  const texts = shortenList(words, { form, between: ', ', what: 'rules' })
  const by = rules[0]?.by
  return by === undefined ? texts : `${texts} (${showSpot(by, here)})`
}
