/**
 * help: the text of `--help`, for the program and for each command, from the tree.
 *
 * in     the path to a command, the width of the terminal
 * out    lines that fit it
 */
import { widthOf } from '../shared/width.ts'
import type { Command } from './command.ts'
import { GLOBAL_FLAGS, PLUGBOARD } from './commands.ts'
import { showFlag, usageOf } from './usage.ts'

/** The width for a pipe or a file. Also the maximum, because wider text is hard to read. */
const WIDEST = 100

export function helpOf(path: readonly Command[], columns: number | undefined): string[] {
  const command = path.at(-1)!
  const width = Math.min(columns ?? WIDEST, WIDEST)
  const name = path.map((step) => step.name).join(' ')
  const commands = (command.commands ?? []).map(({ name: word, summary }) => ({ term: word, summary }))
  const toTerm = (flag: (typeof GLOBAL_FLAGS)[number]): Term => ({
    term: showFlag(flag),
    summary: flag.summary,
  })
  return [
    ...wrap(`${name}: ${command.summary}`, width),
    '',
    `usage: ${usageOf(path)}`,
    ...section('commands', commands, width),
    ...section('flags', command.flags.map(toTerm), width),
    ...section('flags of every command', GLOBAL_FLAGS.map(toTerm), width),
    '',
    'examples:',
    ...command.examples.map((example) => `  ${example}`),
    ...(commands.length === 0 ? [] : ['', ...wrap(defaultNote(command, name), width)]),
  ]
}

interface Term {
  readonly term: string
  readonly summary: string
}

function section(title: string, terms: readonly Term[], width: number): string[] {
  if (terms.length === 0) return []
  const column = Math.max(...terms.map(({ term }) => widthOf(term))) + 4
  return ['', `${title}:`, ...terms.flatMap((term) => showTerm(term, column, width))]
}

/** The summary beside its term, or below it where the line is too narrow. */
function showTerm({ term, summary }: Term, column: number, width: number): string[] {
  if (width - column < 24) return [`  ${term}`, ...wrap(summary, width - 6).map((line) => `      ${line}`)]
  const [first = '', ...rest] = wrap(summary, width - column)
  return [`  ${term}`.padEnd(column) + first, ...rest.map((line) => ' '.repeat(column) + line)]
}

function defaultNote(command: Command, name: string): string {
  const first = `\`${name} ${command.commands![0]!.name}\``
  const alone =
    command === PLUGBOARD ? `opens the shell on a terminal, and is ${first} elsewhere` : `is ${first}`
  return `\`${name}\` alone ${alone}; \`${name} <command> --help\` says more about a command`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}
