/**
 * doctor: what is wrong, or will go wrong, on this machine. Each finding is a Problem whose first hint is the fix.
 *
 * in     a loaded catalog
 * out    findings: errors first, then warnings, then notes
 * never  runs anything unless the caller asks for it, and even then nothing of a server that is not approved
 */
import { toCommandLine } from '../base/command-line.ts'
import type { AdmittedServer, CatalogEntry } from '../model/catalog.ts'
import type { ServerDefinition } from '../model/definition.ts'
import { findMember } from '../model/document.ts'
import type { DialectId, FoundEntry } from '../model/entry.ts'
import type { Problem } from '../model/problem.ts'
import { isLiteral, showTemplate, type Template } from '../model/template.ts'
import { findProgram } from '../pipeline/admit/executable.ts'
import { createProblem, createWarning, whereOf, whereOrigin } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import { examineTools } from './examine-tools.ts'
import { grantFile } from './grant-store.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { pinFile } from './pin-store.ts'
import { readState } from './state-file.ts'
import { trustFile } from './trust-store.ts'

export async function examine(
  world: World,
  loaded: LoadedCatalog,
  mode: 'look' | 'run',
): Promise<readonly Problem[]> {
  const { catalog } = loaded
  const findings = [
    ...catalog.problems,
    ...loaded.notApplied,
    ...catalog.entries.flatMap((entry) => examineEntry(entry)),
    ...catalog.servers.flatMap((server) => examineServer(world, server)),
    ...examineNames(catalog.servers),
    ...examineTools(world, loaded),
    ...examineStores(world, loaded),
    ...(mode === 'run' ? await runValueCommands(world, catalog.servers) : []),
  ]
  const order = { error: 0, warning: 1, info: 2 }
  return findings.map(withFix).toSorted((a, b) => order[a.severity] - order[b.severity])
}

/** When the stage that found it gives no hint, the hint is to look at the place. */
function withFix(finding: Problem): Problem {
  const { where, hints } = finding
  if (hints.length > 0 || where === undefined) return finding
  const place = where.line === undefined ? where.file : `${where.file}:${where.line}`
  return { ...finding, hints: [`open \`${place}\` and mend it, or remove it`] }
}

function examineEntry({ entry, fate }: CatalogEntry): readonly Problem[] {
  const { name, origin } = entry.found
  // Another scope, source or rule excluded it on purpose, so this user has nothing to fix.
  if (fate.kind === 'excluded') return []
  const own = [
    ...entry.warnings,
    ...(entry.kind === 'invalid' ? entry.problems : []),
    ...(entry.kind === 'unsupported' ? [entry.problem] : []),
  ]
  const where = whereOrigin(origin, name)
  const note = (code: string, message: string, hints: readonly string[] = []): Problem =>
    createProblem({ severity: 'info', code: `doctor/${code}`, message, where, hints })
  switch (fate.kind) {
    case 'untrusted': {
      const hint = 'to look at it and decide, run `plugboard trust`'
      const isWhole = entry.kind === 'definition'
      return [...own, note('untrusted', `\`${name}\` does not run: ${fate.reason}`, isWhole ? [hint] : [])]
    }
    case 'shadowed':
      return [
        ...own,
        note('shadowed', `\`${name}\` is shadowed: ${fate.reason}`, [
          'rename one of the two, if you want both',
        ]),
      ]
    case 'duplicate':
      return [
        ...own,
        note('duplicate', `\`${name}\` is connected as \`${fate.by.name}\`, which is the same server`),
      ]
    case 'denied':
    case 'not-allowed':
      return [...own, note(fate.kind, `\`${name}\` does not run: ${fate.reason}`)]
    default:
      return own
  }
}

/**
 * Dialects whose agents reject a `url` without a `type`, or misread it. For Plugboard it means: whatever the server
 * speaks.
 */
const TYPED_DIALECTS: ReadonlySet<DialectId> = new Set(['xcsh', 'claude-code', 'claude-plugin', 'mcp-json'])

function examineServer(world: World, server: AdmittedServer): readonly Problem[] {
  const { transport, found } = server
  const findings: Problem[] = []
  if (transport.type === 'stdio') {
    if (findProgram(world, { transport, values: server.values }, found).kind === 'missing')
      findings.push(commandNotFound(server, transport.command))
    const cwd = transport.cwd
    const isGone =
      cwd !== undefined && isLiteral(cwd) && world.files.kind(toAbsolute(world, found, cwd)) !== 'directory'
    if (isGone) findings.push(folderMissing(server, cwd))
    const { envFile } = transport
    const isUnread =
      envFile !== undefined &&
      isLiteral(envFile) &&
      world.files.kind(toAbsolute(world, found, envFile)) !== 'file'
    if (isUnread) findings.push(envFileMissing(server, envFile))
  }
  const isUntyped = findMember(found.node, 'type') === undefined && TYPED_DIALECTS.has(found.dialect)
  if (transport.type === 'http' && isUntyped) findings.push(urlWithoutType(server))
  return findings
}

function toAbsolute(world: World, found: FoundEntry, path: Template): string {
  const text = showTemplate(path).replace(/^~(?=[/\\]|$)/, () => world.home)
  return world.paths.resolve(found.baseDir, text)
}

/** Agents that shorten names can reach only one of these two. */
function examineNames(servers: readonly AdmittedServer[]): readonly Problem[] {
  const byShort = new Map<string, AdmittedServer[]>()
  for (const server of servers) {
    const short = server.name.toLowerCase().replace(/[^a-z0-9]+/g, '_')
    byShort.set(short, [...(byShort.get(short) ?? []), server])
  }
  return [...byShort.values()].filter((alike) => alike.length > 1).map(namesAlike)
}

function examineStores(world: World, { dirs }: LoadedCatalog): readonly Problem[] {
  const [grants, pins] = [grantFile(world, dirs), pinFile(world, dirs)]
  const connectors = world.paths.join(dirs.cache, 'connectors')
  const stores = [
    trustFile(world, dirs),
    grants.file,
    pins.file,
    ...world.files
      .list(connectors)
      .filter((name) => name.endsWith('.json'))
      .map((name) => world.paths.join(connectors, name)),
  ]
  const damaged = [readState(world, grants).problem, readState(world, pins).problem]
  return [
    ...damaged.filter((problem) => problem !== undefined),
    ...stores.flatMap((file) => {
      const mode = world.files.mode(file)
      return mode === undefined || (mode & 0o077) === 0 ? [] : [storeIsOpen(file, mode)]
    }),
  ]
}

const COMMAND_LIMIT_MS = 10_000

/** Runs values that are commands, in the dialects that have them, of servers that may run. */
async function runValueCommands(
  world: World,
  servers: readonly AdmittedServer[],
): Promise<readonly Problem[]> {
  const runs = servers
    .filter(({ values }) => values === 'resolvable')
    .flatMap((server) =>
      valueCommands(server).map(async ({ field, command }) => {
        const outcome = await world.shell.run(command, {
          cwd: folderOf(world, server),
          timeoutMs: COMMAND_LIMIT_MS,
          env: world.env,
        })
        if (outcome.stdout.trim() !== '' && outcome.exitCode === 0) return []
        const reason = outcome.timedOut
          ? `gave no answer within ${COMMAND_LIMIT_MS / 1000} s`
          : outcome.exitCode === 0
            ? 'prints nothing'
            : `ends with exit code ${outcome.exitCode ?? 'none'}`
        return [valueCommandFails(server, field, reason)]
      }),
    )
  return (await Promise.all(runs)).flat()
}

/** Not the working directory: a relative program of the user's would be looked up in the current repository. */
function folderOf(world: World, { found }: AdmittedServer): string {
  return found.origin.scope === 'project' ? found.baseDir : world.home
}

function valueCommands({
  transport,
}: ServerDefinition): readonly { readonly field: string; readonly command: string }[] {
  const map =
    transport.type === 'stdio'
      ? transport.env
      : 'headers' in transport
        ? transport.headers
        : new Map<string, Template>()
  const field = transport.type === 'stdio' ? 'env' : 'headers'
  return [...map].flatMap(([key, value]) => {
    const text = showTemplate(value)
    return text.startsWith('!') ? [{ field: `${field}.${key}`, command: text.slice(1) }] : []
  })
}

function commandNotFound({ name, found }: AdmittedServer, command: Template): Problem {
  const program = showTemplate(command)
  const node = findMember(found.node, 'command')?.value ?? findMember(found.node, 'cmd')?.value ?? found.node
  const where = whereOf(found.document, node, { ...ownerOf(found), server: name })
  if (isCommandLine(program)) {
    // The value is not repeated: users write tokens into it.
    return createProblem({
      code: 'doctor/command-line',
      message: `\`${name}\` has a whole command line where the program alone belongs`,
      where,
      hints: [`keep \`${program.trim().split(/\s+/)[0]}\` there and move the rest to \`args\`, word by word`],
    })
  }
  return createProblem({
    code: 'doctor/command-not-found',
    message: `\`${program}\`, which \`${name}\` runs, was not found`,
    where,
    notes: [/[/\\]/.test(program) ? 'it is not an executable file' : 'looked in every folder of PATH'],
    hints: [`install \`${program}\`, or give its full path in \`command\``],
  })
}

/** Folders may have blanks in their names. A flag, or a blank without a folder, suggests arguments. */
function isCommandLine(program: string): boolean {
  return /\s-/.test(program) || (/\s/.test(program.trim()) && !/[/\\]/.test(program))
}

function folderMissing({ name, found }: AdmittedServer, cwd: Template): Problem {
  const node = findMember(found.node, 'cwd')?.value ?? found.node
  return createProblem({
    code: 'doctor/no-such-folder',
    message: `\`${name}\` is to run in \`${showTemplate(cwd)}\`, which is not a folder`,
    where: whereOf(found.document, node, { ...ownerOf(found), server: name }),
    hints: ['create the folder, or correct `cwd`'],
  })
}

function envFileMissing({ name, found }: AdmittedServer, envFile: Template): Problem {
  const node = findMember(found.node, 'envFile')?.value ?? found.node
  return createProblem({
    code: 'doctor/no-such-env-file',
    message: `\`${name}\` takes variables from \`${showTemplate(envFile)}\`, which is not a file`,
    where: whereOf(found.document, node, { ...ownerOf(found), server: name }),
    hints: ['create the file, or remove `envFile`'],
  })
}

function urlWithoutType({ name, found }: AdmittedServer): Problem {
  const node = findMember(found.node, 'url')?.value ?? found.node
  return createWarning({
    code: 'doctor/url-without-type',
    message: `\`${name}\` has a \`url\` and no \`type\`: it is taken for \`http\`, but other agents reject it`,
    where: whereOf(found.document, node, { ...ownerOf(found), server: name }),
    hints: ['add `"type": "http"` (or `"sse"`)'],
  })
}

function namesAlike(servers: readonly AdmittedServer[]): Problem {
  const names = servers.map(({ name }) => `\`${name}\``).join(' and ')
  return createWarning({
    code: 'doctor/names-alike',
    message: `${names} differ only in characters that agents drop from names`,
    where: whereOrigin(servers[0]!.found.origin, servers[0]!.name),
    hints: ['rename one of them'],
  })
}

function storeIsOpen(file: string, mode: number): Problem {
  return createWarning({
    code: 'doctor/store-is-open',
    message: `others on this machine can read what only you should: its mode is ${mode.toString(8)}`,
    where: { file },
    hints: [`run \`${toCommandLine('chmod 600', [file], 'linux')}\``],
  })
}

/** The command itself is not shown: users write tokens into it. */
function valueCommandFails({ name, found }: AdmittedServer, field: string, reason: string): Problem {
  return createProblem({
    code: 'doctor/empty-command',
    message: `the command in \`${field}\` of \`${name}\` ${reason}, so the value would be missing`,
    where: whereOrigin(found.origin, name),
    hints: ['run the command by hand, without the `!`, and mend it'],
  })
}

function ownerOf({ origin }: FoundEntry): Pick<FoundEntry['origin'], 'source' | 'scope'> {
  return { source: origin.source, scope: origin.scope }
}
