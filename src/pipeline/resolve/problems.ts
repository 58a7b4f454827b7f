/**
 * problems: what prevents a value from being filled in. Plugboard still tries to launch the server.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { toPrintable } from '../../base/printable.ts'
import { stripControls } from '../../base/strip-controls.ts'
import type { AdmittedServer, Confinement } from '../../model/catalog.ts'
import { findMember, type ConfigNode } from '../../model/document.ts'
import type { FoundEntry } from '../../model/entry.ts'
import type { Problem, Where } from '../../model/problem.ts'
import { maskText } from '../../problem/mask-text.ts'
import { adviseOnPlainHttp, becauseOfPlainHttp } from '../../problem/plain-http.ts'
import { createProblem, createWarning, ProblemError, whereOf, whereOrigin } from '../../problem/problem.ts'
import type { FileRead, Platform, ShellOutcome } from '../../world/world.ts'

/** A field of a definition; `key` is a key of its map, or a position in its list. */
export interface Field {
  readonly name: FieldName
  readonly key?: string | number
}

/** How agents spell the fields of a definition. */
const SPELLINGS = {
  command: ['command', 'cmd'],
  args: ['args'],
  env: ['env', 'environment', 'envs'],
  envFile: ['envFile'],
  cwd: ['cwd'],
  url: ['url', 'serverUrl', 'httpUrl', 'uri'],
  headers: ['headers', 'http_headers', 'env_http_headers'],
  headersHelper: ['headersHelper', 'http_headers_helper'],
  authToken: ['authToken'],
  auth: ['auth'],
  oauth: ['oauth', 'oauthClient', 'auth'],
} as const

export type FieldName = keyof typeof SPELLINGS

type Server = Pick<AdmittedServer, 'name' | 'found'>

export function unsetVariable(server: Server, field: Field, variable: string): Problem {
  return createWarning({
    code: 'resolve/unset-variable',
    message: `\`${variable}\` is not set, and server \`${server.name}\` needs it for \`${showField(field)}\``,
    where: whereField(server.found, field),
    notes: ['looked in: the environment', 'the reference stays as it is written'],
    hints: [`set it in your shell, or give a default in the file: \`\${${variable}:-…}\``],
  })
}

export function unreadableFile(
  server: Server,
  field: Field,
  { path, read }: { readonly path: string; readonly read: Exclude<FileRead, { kind: 'text' }> },
): Problem {
  const isEnvFile = field.name === 'envFile'
  return createProblem({
    code: isEnvFile ? 'resolve/env-file' : 'resolve/file',
    message: `\`${path}\` cannot be read, and server \`${server.name}\` needs it for \`${showField(field)}\``,
    where: whereField(server.found, field),
    notes: [whyUnread(read), isEnvFile ? 'no variable was taken from it' : leftOut(field)],
    hints: [
      read.kind === 'missing' ? 'create the file, or mend the path' : 'make it a file that you can read',
    ],
  })
}

function whyUnread(read: Exclude<FileRead, { kind: 'text' }>): string {
  if (read.kind === 'missing') return 'there is no such file'
  switch (read.why.kind) {
    case 'not-a-file':
      return `it is ${read.why.what}`
    case 'denied':
      return 'you may not read it'
    case 'link-loop':
      return 'it is a link that leads back to itself'
    case 'too-large':
      return 'it is too large'
    case 'not-utf8':
      return 'it is not UTF-8 text'
    case 'failed':
      return read.why.message
  }
}

export function badEnvLines(server: Server, path: string, lines: readonly number[]): Problem {
  const which = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.join(', ')}`
  return createWarning({
    code: 'resolve/env-file-line',
    message: `${which} of \`${path}\` cannot be read as \`NAME=value\``,
    where: whereField(server.found, { name: 'envFile' }),
    notes: ['every other line was'],
  })
}

export function changedEnvFile(server: Server, path: string): Problem {
  return createProblem({
    code: 'resolve/env-file-changed',
    message: `\`${path}\` changed since you approved server \`${server.name}\``,
    where: whereField(server.found, { name: 'envFile' }),
    notes: ['its variables were left out'],
    hints: ['to look at it and decide again, run `plugboard trust`'],
  })
}

/** Not started: its entry leads into an untrusted folder. */
export function leadsIntoFolder(
  server: Server,
  { folder, field, value }: Extract<Confinement, { start: 'refused' }>,
): Problem {
  return createProblem({
    code: 'trust/folder',
    message: `\`${server.name}\` does not start here: \`${field}\` leads into a folder that you do not trust`,
    where: whereOrigin(server.found.origin, server.name),
    notes: [
      `folder: ${toPrintable(folder)}`,
      `\`${field}\`: ${toPrintable(value).slice(0, 300)}`,
      'a program that has asked its user passes `trustFolder: true`',
    ],
    hints: ['to see what trusting the folder means, and decide, run `plugboard trust folder`'],
  })
}

export function noEmptyFolder(server: Server, folder: string): Problem {
  return createWarning({
    code: 'resolve/no-empty-folder',
    message: `\`${server.name}\` starts in your home folder, because \`${toPrintable(folder)}\` cannot be created`,
    where: whereOrigin(server.found.origin, server.name),
    notes: ['it would start there because you do not trust the folder that you are in'],
    hints: ['make sure that the folders above it are folders, and that you may write there'],
  })
}

export function inputNeeded(server: Server, field: Field, id: string): Problem {
  return createProblem({
    code: 'resolve/input',
    message: `server \`${server.name}\` asks for \`${id}\`, and nobody can be asked`,
    where: whereField(server.found, field),
    notes: [leftOut(field)],
    hints: [`put the value into a variable, and \`\${NAME}\` in place of \`\${input:${id}}\``],
  })
}

export function commandInValue(server: Server, field: Field): Problem {
  return createWarning({
    code: 'resolve/command-in-value',
    message: `\`${showField(field)}\` holds shell code, which Plugboard never runs from another agent's file`,
    where: whereField(server.found, field),
    notes: ['it stays as it is written'],
    hints: ['put the value into a variable and refer to it: `${NAME}`'],
  })
}

export function nestedDefault(server: Server, field: Field): Problem {
  return createWarning({
    code: 'resolve/nested-default',
    message: `\`${showField(field)}\` has a variable inside the default of another one, which is not put in`,
    where: whereField(server.found, field),
    notes: ['it stays as it is written'],
    hints: ['give the default as text: `${NAME:-text}`'],
  })
}

/** A command that ran, and its outcome. */
export interface CommandRun {
  readonly outcome: ShellOutcome
  readonly cwd: string
  readonly limitMs: number
}

export function valueCommandFailed(server: Server, field: Field, run: CommandRun): Problem {
  return createProblem({
    code: 'resolve/command-failed',
    message: `the command that gives \`${showField(field)}\` to server \`${server.name}\` ${howItFailed(run)}`,
    where: whereField(server.found, field),
    notes: [...lastWords(run), leftOut(field)],
    hints: [`run what follows the \`!\` by hand in \`${run.cwd}\`: it must print the value and exit with 0`],
  })
}

export function helperFailed(server: Server, run: CommandRun): Problem {
  return createProblem({
    code: 'resolve/headers-helper',
    message: `\`headersHelper\` of server \`${server.name}\` ${howItFailed(run)}`,
    where: whereField(server.found, { name: 'headersHelper' }),
    notes: [...lastWords(run), 'the connection is tried without its headers'],
    hints: [`run it by hand in \`${run.cwd}\`: it must print a JSON object, such as \`{"X-Api-Key": "…"}\``],
  })
}

function howItFailed({ outcome, limitMs }: CommandRun): string {
  if (outcome.timedOut) return `gave no answer within ${limitMs / 1000} s`
  if (outcome.exitCode === undefined) return 'could not be run to its end'
  if (outcome.exitCode !== 0) return `ended with exit code ${outcome.exitCode}`
  return outcome.stdout.trim() === '' ? 'printed nothing' : 'did not print a JSON object of strings'
}

/** A command may print anything, even its secret input, so its output is cleaned before a terminal shows it. */
function lastWords({ outcome }: CommandRun): readonly string[] {
  const last = stripControls(outcome.stderr).trimEnd().split('\n').at(-1)!.trim()
  return last === '' ? [] : [`the last line it wrote: ${toPrintable(maskText(last.slice(0, MAX_WORDS)))}`]
}

/** Far more than a message shows. */
const MAX_WORDS = 4096

export function badHeader(server: Server, name: string, giver: 'headers' | 'headersHelper'): Problem {
  const field: Field = giver === 'headers' ? { name: giver, key: name } : { name: giver }
  return createProblem({
    code: 'resolve/bad-header',
    message: `the header \`${name}\` of server \`${server.name}\` has characters that no header can carry`,
    where: whereField(server.found, field),
    notes: ['it was left out'],
  })
}

export function badVariable(server: Server, field: Field): Problem {
  return createProblem({
    code: 'resolve/bad-variable',
    message: `\`${showField(field)}\` of server \`${server.name}\` has a NUL, which no variable can hold`,
    where: whereField(server.found, field),
    notes: [leftOut(field)],
  })
}

export function missingForGrant(server: Server, key: string): Problem {
  return createProblem({
    code: 'resolve/oauth-incomplete',
    message: `server \`${server.name}\` cannot sign in as its entry says: \`oauth.${key}\` is missing`,
    where: whereField(server.found, { name: 'oauth' }),
    hints: [`add \`${key}\` to its \`oauth\``],
  })
}

export function noCredential(
  server: Server & Pick<AdmittedServer, 'transport'>,
  id: string,
  platform: Platform,
): Problem {
  // A server without OAuth needs a token from the user.
  const { type } = server.transport
  const login = 'plugboard login'
  const how =
    type === 'http' || type === 'sse' ? login : toCommandLine(`${login} --credential`, [id], platform)
  return createWarning({
    code: 'resolve/no-credential',
    message: `server \`${server.name}\` asks for the credential \`${id}\`, and there is none`,
    where: whereField(server.found, { name: 'auth', key: 'credentialId' }),
    notes: ['the connection is tried without'],
    hints: server.name === '' ? [] : [`run \`${toCommandLine(how, [server.name], platform)}\``],
  })
}

/** A credential store that knows why it failed explains it in its own words. */
export function credentialsFailed(server: Server, error: unknown): Problem {
  if (error instanceof ProblemError) {
    const { code: _, notes, ...problem } = error.problem
    return createWarning({
      ...problem,
      severity: 'warning',
      code: 'resolve/credentials-failed',
      notes: [...notes, `the connection to \`${server.name}\` is tried without`],
    })
  }
  return createWarning({
    code: 'resolve/credentials-failed',
    message: `the credentials of server \`${server.name}\` could not be looked up`,
    where: whereField(server.found, { name: 'auth' }),
    notes: [error instanceof Error ? error.message : String(error), 'the connection is tried without'],
  })
}

/** Plugboard has a token for it and does not send it. */
export function plainHttp(
  server: Pick<AdmittedServer, 'name' | 'found' | 'transport'>,
  url: string,
): Problem {
  return createWarning({
    code: 'resolve/plain-http',
    message: `the sign-in of server \`${server.name}\` is not sent: ${becauseOfPlainHttp(url)}`,
    where: whereField(server.found, { name: 'url' }),
    notes: ['the connection is tried without'],
    hints: adviseOnPlainHttp(server.transport, url),
  })
}

/** If the position of a name has a meaning, leaving it out would move its neighbours. */
function leftOut({ name }: Field): string {
  const isPlaced = name === 'command' || name === 'args' || name === 'url'
  return isPlaced ? 'the reference stays as it is written' : 'the value was left out'
}

export function showField({ name, key }: Field): string {
  if (key === undefined) return name
  return typeof key === 'number' ? `${name}[${key}]` : `${name}.${key}`
}

/** The value itself if it has one of its spellings in the file, else the entry. */
function whereField(found: FoundEntry, { name, key }: Field): Where {
  const { source, scope } = found.origin
  const nodes = SPELLINGS[name].map((spelling) => findInner(findMember(found.node, spelling)?.value, key))
  const node = nodes.find((one) => one !== undefined)
  if (node === undefined) return whereOrigin(found.origin, found.name)
  return whereOf(found.document, node, { source, scope, server: found.name })
}

function findInner(node: ConfigNode | undefined, key: string | number | undefined): ConfigNode | undefined {
  if (key === undefined) return node
  if (typeof key === 'string') return findMember(node, key)?.value
  return node?.kind === 'array' ? node.items[key] : undefined
}
