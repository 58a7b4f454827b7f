/**
 * seed: `login` with an existing token: from a file, from stdin, or typed in.
 */
import type { AdmittedServer } from '../../model/catalog.ts'
import type { Problem } from '../../model/problem.ts'
import type { SignIn } from '../../model/sign-in.ts'
import { createProblem, createWarning, ProblemError, whereOrigin } from '../../problem/problem.ts'
import { requireServer } from '../../runtime/login-by-name.ts'
import { seedSignIn } from '../../runtime/seed-sign-in.ts'
import { openSignInStore } from '../../runtime/sign-in-store.ts'
import type { CommandContext } from './command.ts'
import { reportBeside } from './print.ts'
import { loadKnowing } from './require-known.ts'

/** Whether the command line contains a token, or asks for one. */
export function wantsSeed({ flags }: CommandContext): boolean {
  return flags['token-file'] !== undefined || flags['credential'] !== undefined
}

/** Throws `connect/…`, `authorize/…`, `cli/…`. */
export async function seed(context: CommandContext): Promise<SignIn | 'cancelled'> {
  const { world, flags } = context
  const name = context.args[0]!
  const loaded = await loadKnowing(context, name)
  const server = requireServer(loaded, name)
  const text = await readToken(context)
  if (text === undefined) return 'cancelled'
  const credentialId = typeof flags['credential'] === 'string' ? flags['credential'] : undefined
  const signIn = await seedSignIn(world, openSignInStore(world, loaded.dirs), { server, text, credentialId })
  const kept = signIn.key.credentialId
  if (kept !== undefined && kept !== server.auth?.credentialId)
    reportBeside(context, [notAskedFor(server, kept)])
  return signIn
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

/** The token is kept until an entry refers to it. */
function notAskedFor({ name, found }: AdmittedServer, id: string): Problem {
  return createWarning({
    code: 'cli/not-asked-for',
    message: `the entry of \`${name}\` does not ask for the credential \`${id}\`, so it is kept, but not used`,
    where: whereOrigin(found.origin, name),
    hints: [`put into its entry: \`"auth": { "type": "oauth", "credentialId": ${JSON.stringify(id)} }\``],
  })
}

function unreadable(file: string): Problem {
  return createProblem({
    code: 'cli/unreadable-file',
    message: `the file of \`--token-file\` cannot be read`,
    where: { file },
    hints: ['check its path; `-` reads from stdin'],
  })
}

function noToken(): Problem {
  return createProblem({
    code: 'cli/no-token',
    message: 'there is no terminal to type a token into',
    hints: ['give it in a file, with `--token-file <file>`, or on stdin, with `--token-file -`'],
  })
}
