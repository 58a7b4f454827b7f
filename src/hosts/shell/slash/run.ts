/**
 * run: a line that begins with a slash, carried out or completed.
 *
 * in     `/mcp enable files`, `/mcp__github__review pr=7`, `/help`
 * never  rejects because of what was typed: that is shown
 */
import { parseCommandWords } from '../../../base/command-words.ts'
import { toPrintable } from '../../../base/printable.ts'
import { createProblem, ProblemError } from '../../../problem/problem.ts'
import { didYouMean } from '../../shared/did-you-mean.ts'
import { toTable } from '../../shared/table.ts'
import type { ShellContext, SlashCommand } from '../context.ts'
import { completeMention } from '../mentions.ts'
import { MCP, SLASH } from './commands.ts'
import { completePrompt, findPrompts, runPrompt } from './prompt.ts'

export function isSlash(line: string): boolean {
  // A path is no command: `/etc/hosts says …`.
  return /^\/[\p{L}\p{N}_.-]*(?:\s|$)/u.test(line)
}

export async function runSlash(context: ShellContext, line: string): Promise<void> {
  try {
    const parsed = parseCommandWords(line.trim().slice(1))
    if (parsed.kind === 'open-quote') throw new ProblemError(openQuote(parsed.quote))
    await dispatch(context, parsed.words)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    context.report([error.problem])
  }
}

async function dispatch(context: ShellContext, [name = 'help', ...words]: readonly string[]): Promise<void> {
  if (name === 'help') return help(context, words)
  const prompt = findPrompts(context).get(name)
  if (prompt !== undefined) return runPrompt(context, prompt, words)
  if (name !== 'mcp') {
    const command = findCommand(SLASH, name)
    if (command === undefined) throw new ProblemError(unknownCommand(context, name))
    return command.run(context, words)
  }
  const [word, ...rest] = words
  const command = word === undefined ? MCP[0] : findCommand(MCP, word)
  if (command === undefined) throw new ProblemError(unknownBelow(word!))
  return command.run(context, rest)
}

function findCommand(table: readonly SlashCommand[], name: string): SlashCommand | undefined {
  return table.find((one) => one.name === name || one.aliases?.includes(name) === true)
}

function namesIn(table: readonly SlashCommand[]): readonly string[] {
  return table.flatMap(({ name, aliases = [] }) => [name, ...aliases])
}

function unknownCommand(context: ShellContext, name: string): ReturnType<typeof createProblem> {
  const known = [...namesIn(SLASH), 'help', ...findPrompts(context).keys()].map((one) => `/${one}`)
  return createProblem({
    code: 'shell/unknown-command',
    message: `there is no command \`/${name}\``,
    hints: [...didYouMean(`/${name}`, known), 'to see every command, type `/help`'],
  })
}

function unknownBelow(word: string): ReturnType<typeof createProblem> {
  return createProblem({
    code: 'shell/unknown-command',
    message: `\`/mcp\` has no command \`${word}\``,
    hints: [...didYouMean(word, namesIn(MCP)), 'to see every command, type `/help mcp`'],
  })
}

function openQuote(quote: string): ReturnType<typeof createProblem> {
  return createProblem({
    code: 'shell/open-quote',
    message: `nothing closes the ${quote} in this line`,
  })
}

function help(context: ShellContext, [word]: readonly string[]): void {
  const { paint } = context
  const isMcp = word === 'mcp'
  const only = isMcp ? undefined : word?.replace(/^\//, '')
  const table = isMcp ? MCP : SLASH.filter(({ name }) => only === undefined || name === only)
  const rows = table.map(({ name, aliases = [], usage = '', summary }) => [
    {
      text: `/${isMcp ? 'mcp ' : ''}${[name, ...aliases].join('|')} ${usage}`.trim(),
      brush: paint.bold,
    },
    summary,
  ])
  const own = [...findPrompts(context)].map(([name, { description }]) => [
    { text: `/${name}`, brush: paint.bold },
    description.split('\n', 1)[0]!,
  ])
  const columns = [
    { title: 'COMMAND', shrinks: 2 },
    { title: 'WHAT IT DOES', shrinks: 1, isDetail: true },
  ]
  const all = isMcp || only !== undefined ? rows : [...rows, ...own]
  context.print([
    ...toTable(columns, all, { paint, columns: context.columns() }),
    ...(isMcp || only !== undefined
      ? []
      : ['', 'everything else goes to the model; @server:uri attaches a resource']),
  ])
}

export interface Completed {
  /** Where the word begins that they replace. */
  readonly from: number
  readonly words: readonly string[]
}

/** What may stand at the end of the line. Nothing while a server does not answer: nobody is kept waiting by a failure. */
export async function completeLine(context: ShellContext, line: string): Promise<Completed> {
  const from = line.search(/\S*$/)
  const word = line.slice(from)
  if (word.startsWith('@')) return { from, words: completeMention(context.board, word) }
  if (!line.startsWith('/')) return { from, words: [] }
  const parsed = parseCommandWords(line.slice(1, from))
  if (parsed.kind === 'open-quote') return { from, words: [] }
  try {
    const found = await findWords(context, [...parsed.words, from === 0 ? word.slice(1) : word])
    const words = found.filter((one) =>
      one.toLowerCase().startsWith((from === 0 ? word.slice(1) : word).toLowerCase()),
    )
    return { from, words: words.map((one) => toPrintable(from === 0 ? `/${one}` : one)) }
  } catch (error) {
    // A server that fails to complete has nothing to suggest; what is wrong with it is told when it is used.
    if (error instanceof Error) return { from, words: [] }
    throw error
  }
}

async function findWords(context: ShellContext, words: readonly string[]): Promise<readonly string[]> {
  const [name, ...rest] = words
  const prompts = findPrompts(context)
  if (rest.length === 0) return [...SLASH.map((one) => one.name), 'help', ...prompts.keys()]
  const prompt = prompts.get(name!)
  if (prompt !== undefined) return completePrompt(context, prompt, rest)
  if (name === 'help') return ['mcp', ...SLASH.map((one) => one.name)]
  if (name !== 'mcp') return (await findCommand(SLASH, name!)?.complete?.(context, rest)) ?? []
  const [word, ...more] = rest
  if (more.length === 0) return MCP.map((one) => one.name)
  return (await findCommand(MCP, word!)?.complete?.(context, more)) ?? []
}
