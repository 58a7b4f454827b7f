/**
 * seed: `login` with a token that was got elsewhere: from a file, from stdin, or typed in.
 */
import { ProblemError, createProblem } from '../../problem/problem.ts'
import type { SignIn } from '../../model/sign-in.ts'
import { requireServer } from '../../runtime/login-by-name.ts'
import { seedSignIn } from '../../runtime/seed-sign-in.ts'
import { openSignInStore } from '../../runtime/sign-in-store.ts'
import type { CommandContext } from './command.ts'

/** Whether the command line has, or asks for, a token. */
export function wantsSeed({ flags }: CommandContext): boolean {
  return flags['token-file'] !== undefined || flags['credential'] !== undefined
}

/** Throws `connect/…`, `authorize/…`, `cli/…`. */
export async function seed(context: CommandContext): Promise<SignIn | 'cancelled'> {
  const { world, flags } = context
  const name = context.args[0]!
  const loaded = await context.load()
  const server = requireServer(loaded, name)
  const text = await readToken(context)
  if (text === undefined) return 'cancelled'
  const credentialId = typeof flags['credential'] === 'string' ? flags['credential'] : undefined
  return seedSignIn(world, openSignInStore(world, loaded.dirs), { server, text, credentialId })
}

async function readToken({ flags, terminal, world }: CommandContext): Promise<string | undefined> {
  const file = flags['token-file']
  if (file === '-') return terminal.input()
  if (typeof file === 'string') {
    const read = world.files.read(world.paths.resolve(world.cwd, file))
    if (read.kind === 'text') return read.text
    throw new ProblemError(unreadable(file))
  }
  if (!terminal.canAsk) throw new ProblemError(noToken())
  return terminal.ask('Token:', {
    isSecret: true,
    fault: (text) => (text.trim() === '' ? 'a token, please' : undefined),
  })
}

function unreadable(file: string): ReturnType<typeof createProblem> {
  return createProblem({
    code: 'cli/unreadable-file',
    message: `the file of \`--token-file\` cannot be read`,
    where: { file },
    hints: ['check its path; `-` reads from stdin'],
  })
}

function noToken(): ReturnType<typeof createProblem> {
  return createProblem({
    code: 'cli/no-token',
    message: 'there is no terminal to type a token into',
    hints: ['give it in a file, with `--token-file <file>`, or on stdin, with `--token-file -`'],
  })
}
