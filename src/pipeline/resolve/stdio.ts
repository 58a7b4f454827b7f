/**
 * stdio: fills in what to start, with its arguments, variables and folder.
 */
import { Secret } from '../../base/secret.ts'
import type { StdioTransport } from '../../model/definition.ts'
import type { LaunchTransport, LaunchValue } from '../../model/launch.ts'
import { stateFolderOf } from '../../world/gateway-place.ts'
import { leadsInto } from '../../world/untrusted-folder.ts'
import { minimalEnv, wholeEnv } from './child-env.ts'
import { findCredential } from './credential.ts'
import { hashOfEnvFile, parseEnvFile } from './env-file.ts'
import { fill, fillWhole, toLaunchValue } from './fill.ts'
import { fingerprintOf } from './fingerprint.ts'
import { putAnyCase, toAbsolute, type Job } from './job.ts'
import { badEnvLines, badVariable, changedEnvFile, noEmptyFolder, unreadableFile } from './problems.ts'
import { secretsIn, secretsInArgument, secretsInVariable, secretsOfUser } from './secrets.ts'
import { resolveMap } from './values.ts'

export async function resolveStdio(job: Job, transport: StdioTransport): Promise<LaunchTransport> {
  const cwd = findCwd(job, transport)
  return {
    kind: 'stdio',
    command: findCommand(job, transport, cwd ?? job.server.found.baseDir),
    args: fillArguments(job, transport),
    env: await findEnv(job, transport),
    cwd: cwd ?? defaultFolder(job),
  }
}

/** The folder of a server whose entry names none. */
function defaultFolder(job: Job): string {
  const { server, context } = job
  if (server.confinement?.start === 'empty-folder') return makeEmptyFolder(job)
  if (server.found.origin.scope === 'project') return server.found.baseDir
  return context.project?.root ?? context.world.cwd
}

/**
 * One folder for each server, so that the server finds its own files again. Not in the folder for temporary files:
 * programs look for settings in parent folders, and there another user could have written some.
 */
function makeEmptyFolder({ server, context, problems }: Job): string {
  const { world } = context
  const name = server.name.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, 40)
  const folder = world.paths.join(
    stateFolderOf(world),
    'folders',
    `${name}-${fingerprintOf(server).slice(0, 8)}`,
  )
  const isOutside = !leadsInto(server.confinement!, folder, world)
  if (isOutside && world.files.makeFolder(folder)) return folder
  problems.push(noEmptyFolder(server, folder))
  return world.home
}

/** Undefined when the entry names no folder, or a value of its folder is missing. */
function findCwd(job: Job, { cwd }: StdioTransport): string | undefined {
  const filled = cwd === undefined ? undefined : fillWhole(job, cwd, { name: 'cwd' })
  return filled === undefined ? undefined : toAbsolute(job, filled.text)
}

/** Looks for the program where the approval showed it to the user (admit/executable.ts). */
function findCommand(job: Job, { command }: StdioTransport, base: string): LaunchValue {
  const { paths, home } = job.context.world
  const { text, from } = fill(job, command, { name: 'command' })
  const isPath = /[/\\]/.test(text)
  const program = isPath
    ? paths.resolve(
        base,
        text.replace(/^~(?=[/\\])/, () => home),
      )
    : text
  return toLaunchValue({ text: program, from }, [])
}

function fillArguments(job: Job, { args }: StdioTransport): readonly LaunchValue[] {
  const filled = args.map((template, key) => fill(job, template, { name: 'args', key }))
  return filled.map((one, i) => {
    const secrets = one.gap === undefined ? secretsInArgument(one.text, filled[i - 1]?.text, one.from) : []
    job.secrets.push(...secrets)
    return toLaunchValue(one, secrets)
  })
}

/** The user's environment, then the file, then the credential, then the entry: the later wins. */
async function findEnv(job: Job, transport: StdioTransport): Promise<ReadonlyMap<string, LaunchValue>> {
  const { env, platform } = job.context.world
  const found = new Map<string, LaunchValue>()
  // On Windows, `Path` and `PATH` are one variable, and with both the child would get an arbitrary one.
  const put = (name: string, value: LaunchValue): void =>
    platform === 'win32' ? putAnyCase(found, name, value) : void found.set(name, value)

  for (const [name, value] of job.server.inheritEnv === true ? wholeEnv(env) : minimalEnv(env, platform)) {
    job.secrets.push(...secretsOfUser(name, value))
    put(name, new Secret(value))
  }
  for (const [name, value] of readEnvFile(job, transport)) {
    job.secrets.push(...secretsInVariable(name, value))
    put(name, new Secret(value))
  }
  const token = transport.env.has(TOKEN_VARIABLE) ? undefined : await findToken(job)
  if (token !== undefined) put(TOKEN_VARIABLE, token)
  for (const [name, value] of await resolveMap(job, transport.env, 'env')) {
    if (value.text.includes('\0')) {
      job.problems.push(badVariable(job.server, { name: 'env', key: name }))
      continue
    }
    const secrets = value.gap === undefined ? secretsInVariable(name, value.text) : []
    job.secrets.push(...secrets)
    put(name, toLaunchValue(value, secrets))
  }
  return found
}

const TOKEN_VARIABLE = 'OAUTH_ACCESS_TOKEN'

async function findToken(job: Job): Promise<Secret | undefined> {
  const token = job.server.auth === undefined ? undefined : await findCredential(job, undefined)
  if (token !== undefined) job.secrets.push(...secretsIn(token.reveal()))
  return token
}

function readEnvFile(job: Job, { envFile }: StdioTransport): ReadonlyMap<string, string> {
  const none = new Map<string, string>()
  const filled = envFile === undefined ? undefined : fillWhole(job, envFile, { name: 'envFile' })
  if (filled === undefined) return none
  const path = toAbsolute(job, filled.text)
  const read = job.context.world.files.read(path)
  if (read.kind !== 'text') {
    job.problems.push(unreadableFile(job.server, { name: 'envFile' }, { path, read }))
    return none
  }
  // Checked at each start, because a repository may have changed the file since the last load.
  const { found, approvedEnvFile } = job.server
  if (found.origin.scope === 'project' && approvedEnvFile !== hashOfEnvFile(read.text)) {
    job.problems.push(changedEnvFile(job.server, path))
    return none
  }
  const { variables, badLines } = parseEnvFile(read.text)
  if (badLines.length > 0) job.problems.push(badEnvLines(job.server, path, badLines))
  return variables
}
