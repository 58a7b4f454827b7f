/**
 * add: creates a token for clients of the gateway over HTTP. Prints it once, alone on stdout, and stores it nowhere.
 */
import { createProblem, ProblemError } from '../../../../problem/problem.ts'
import { addToken } from '../../../../runtime/named-tokens.ts'
import { showFolder } from '../../../shared/show-path.ts'
import type { CommandContext } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson } from '../../print.ts'
import { toTokenJson } from './list.ts'

/** Throws `token/no-folder`, `token/bad-name`, `token/exists`, `token/damaged`, `token/unwritable`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, args, json } = context
  const project = findProject(context)
  const [name = nameFor(context, project)] = args
  const { dirs } = await context.load()
  const { token, added } = await addToken(world, dirs, { name, project })
  if (json) printJson(terminal, { token: { ...toTokenJson(added), token } })
  else {
    terminal.out(`${token}\n`)
    const sees =
      project === undefined ? 'what you have everywhere' : `what there is in ${showFolder(project, world)}`
    terminal.err(
      `token \`${name}\`: clients of the gateway that send it as \`Authorization: Bearer …\` see ${sees}\n` +
        `it is not shown again; \`plugboard token remove ${name}\` takes it back\n`,
    )
  }
  return DONE
}

function findProject({ world, flags }: CommandContext): string | undefined {
  const { project } = flags
  if (typeof project !== 'string') return undefined
  const folder = world.paths.resolve(world.cwd, project)
  if (world.files.kind(folder) !== 'directory') throw new ProblemError(noFolder(folder))
  return world.files.realPath(folder)
}

/** The name of the folder, as far as it is a valid name. */
function nameFor({ world }: CommandContext, project: string | undefined): string {
  const last =
    project
      ?.split(world.paths.sep)
      .filter((part) => part !== '')
      .at(-1) ?? ''
  const name = last.replaceAll(/[^\w.-]+/g, '-').slice(0, 64)
  return name === '' ? 'default' : name
}

function noFolder(folder: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'token/no-folder',
    message: 'a token can be bound to a folder that is there, and this one is not',
    where: { file: folder },
  })
}
