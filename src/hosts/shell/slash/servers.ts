/** servers: what slash commands about servers share: finding the server, and changes that take effect at once. */
import { toPrintable } from '../../../base/printable.ts'
import type { Problem } from '../../../model/problem.ts'
import { createProblem, ProblemError } from '../../../problem/problem.ts'
import { notConnectable, unknownServer } from '../../../runtime/board-problems.ts'
import type { ReloadSummary } from '../../../runtime/reload.ts'
import type { ShellContext } from '../context.ts'

/** The only argument of a command. Throws `shell/missing-word`. */
export function requireWord(words: readonly string[], usage: string): string {
  const [word] = words
  if (word === undefined) throw new ProblemError(missingWord(usage))
  return word
}

export function missingWord(usage: string): Problem {
  return createProblem({
    code: 'shell/missing-word',
    message: 'something is missing behind this command',
    hints: [`type \`${usage}\``],
  })
}

/** Requires a server that runs. Throws `connect/unknown-server`, `connect/not-chosen`. */
export function requireRunning({ board }: ShellContext, name: string): void {
  const { servers, catalog } = board.snapshot()
  if (servers.some((one) => one.name === name)) return
  const entry = catalog.entries.find(({ entry }) => entry.found.name === name)
  if (entry !== undefined) throw new ProblemError(toSlash(notConnectable(entry, 'slash')))
  throw new ProblemError(toSlash(unknownServer(name, declaredIn(board))))
}

/** Requires a server that some file declares, with any fate. Throws `connect/unknown-server`. */
export function requireDeclared({ board }: ShellContext, name: string): void {
  const names = declaredIn(board)
  if (!names.includes(name)) throw new ProblemError(toSlash(unknownServer(name, names)))
}

function declaredIn(board: ShellContext['board']): readonly string[] {
  return [...new Set(board.snapshot().catalog.entries.map(({ entry }) => entry.found.name))]
}

/** Rewords it for a user who is already in the shell. */
function toSlash(problem: Problem): Problem {
  const hints = problem.hints.map((hint) =>
    hint
      .replace('run `plugboard list --all`', 'type `/mcp explain`')
      .replace('run `plugboard trust`', 'type `/trust`')
      .replace('run `plugboard trust folder`', 'type `/trust folder`')
      .replace(/run `plugboard (?=explain|test|logs)/, 'type `/mcp '),
  )
  return { ...problem, hints }
}

/** The result of a reload; undefined when nothing changed. */
export function sayReload({ added, removed, changed, reconnected }: ReloadSummary): string | undefined {
  const parts = Object.entries({ added, removed, changed, reconnected })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${listNames(names)}`)
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** With more names than this, only their number is shown. */
const SHOWN_NAMES = 4

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => `\`${toPrintable(name)}\``)
  const rest = names.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** Waits for a server, and shows why it is not ready. */
export async function reach(context: ShellContext, name: string): Promise<void> {
  context.busy(`connecting to ${name}`)
  try {
    await context.board.connect(name, { signal: context.signal })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    context.report([toSlash(error.problem)])
  } finally {
    context.busy(undefined)
  }
}

export async function completeRunning({ board }: ShellContext): Promise<readonly string[]> {
  return board.snapshot().servers.map(({ name }) => name)
}

export async function completeDeclared({ board }: ShellContext): Promise<readonly string[]> {
  return declaredIn(board)
}
