/** manage: adds servers, removes them, and turns them on and off. Changes go to disk and take effect at once. */
import { ProblemError } from '../../../problem/problem.ts'
import { requireOwn } from '../../../runtime/manage/own-entries.ts'
import { removeServer, showOwn } from '../../../runtime/manage/own-server.ts'
import { WRITABLE_SCOPES, type WritableScope } from '../../../runtime/manage/scope-file.ts'
import { switchServer } from '../../../runtime/manage/switch-server.ts'
import { createProblem } from '../../../problem/problem.ts'
import { showPath } from '../../shared/show-path.ts'
import type { ShellContext } from '../context.ts'
import { runCommandLine } from './command-line.ts'
import { reach, requireDeclared, requireWord } from './servers.ts'

/** As `plugboard add`: without words, it asks. The session itself connects, so the command need not. */
export function add(context: ShellContext, words: readonly string[]): Promise<void> {
  return addBy(context, ['add', '--no-check', ...words])
}

export function addJson(context: ShellContext, words: readonly string[]): Promise<void> {
  return addBy(context, ['add-json', '--no-check', ...words])
}

async function addBy(context: ShellContext, words: readonly string[]): Promise<void> {
  if ((await runCommandLine(context, words)) !== 0) return
  const { added, changed } = await context.board.reload()
  // A declaration that overrides others reports that itself.
  for (const name of [...added, ...changed]) await reach(context, name)
}

export async function remove(context: ShellContext, words: readonly string[]): Promise<void> {
  const { world } = context
  const { rest, scope } = readScope(words)
  const name = requireWord(rest, '/mcp remove <server>')
  requireDeclared(context, name)
  const own = requireOwn(await context.load(), { name, scope })
  const answer = await context.ask({
    kind: 'choice',
    title: `Take \`${name}\` out of ${showPath(own.file, world)}?`,
    lines: showOwn(own),
    options: [
      { value: 'no', label: 'no' },
      { value: 'yes', label: 'yes', hint: 'it stops running, too' },
    ],
  })
  if (answer !== 'yes') return
  await removeServer(world, own)
  context.print(`removed \`${name}\` from ${showPath(own.file, world)}`)
  await context.board.reload()
}

export function enable(context: ShellContext, words: readonly string[]): Promise<void> {
  return turn(context, words, 'on')
}

export function disable(context: ShellContext, words: readonly string[]): Promise<void> {
  return turn(context, words, 'off')
}

async function turn(context: ShellContext, words: readonly string[], to: 'on' | 'off'): Promise<void> {
  const { rest, scope = 'user' } = readScope(words)
  const name = requireWord(rest, `/mcp ${to === 'on' ? 'enable' : 'disable'} <server>`)
  requireDeclared(context, name)
  if (scope === 'project') throw new ProblemError(notForProject)
  const files = await switchServer(context.world, { name, to, scope }, () => context.load())
  const where = files.map((file) => showPath(file, context.world)).join(', ')
  context.print(files.length === 0 ? `\`${name}\` is ${to} already` : `turned \`${name}\` ${to}, in ${where}`)
  await context.board.reload()
}

const notForProject = createProblem({
  code: 'shell/not-for-project',
  message: 'settings in a repository turn nothing on or off',
  hints: ['for yourself, in this project alone: `--scope local`'],
})

/** `--scope user`, `-s user` or `--scope=user`, anywhere. Throws `cli/bad-scope`. */
function readScope(words: readonly string[]): {
  readonly rest: readonly string[]
  readonly scope?: WritableScope
} {
  const at = words.findIndex((word) => /^(?:--scope|-s)(?:=|$)/.test(word))
  if (at < 0) return { rest: words }
  const inline = words[at]!.split('=', 2)[1]
  const given = inline ?? words[at + 1]
  const scope = WRITABLE_SCOPES.find((one) => one === given)
  if (scope === undefined)
    throw new ProblemError(
      createProblem({
        code: 'cli/bad-scope',
        message: `there is no scope \`${given ?? ''}\` to write to`,
        hints: ['write `--scope user`, `--scope local` (you, in this project) or `--scope project`'],
      }),
    )
  return { rest: words.toSpliced(at, inline === undefined ? 2 : 1), scope }
}
