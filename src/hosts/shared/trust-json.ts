/**
 * trust-json: what a server of a repository would run, as JSON for scripts. Nothing is shortened.
 */
import type { Change } from '../../model/catalog.ts'
import type { SourceId } from '../../model/origin.ts'
import { USES, type TrustFacts } from '../../model/trust.ts'
import { maskChange, maskShown, readArgs } from '../../problem/mask-fact.ts'
import type { TrustQuestion } from '../../runtime/trust.ts'
import { toShownFile } from './show-path.ts'
import { namesOf, valueCommands } from './trust-question.ts'

export interface TrustJson {
  readonly server: string
  readonly source: SourceId
  readonly file: string
  readonly line: number
  readonly column: number
  readonly fate: string
  readonly reason?: string
  readonly type: string
  readonly command?: string
  readonly args?: readonly string[]
  /** The program that the command resolves to today. */
  readonly program?: string
  readonly cwd?: string
  readonly envFile?: { readonly file: string; readonly content: string; readonly variables: string }
  readonly url?: string
  readonly headersHelper?: string
  readonly variables: readonly string[]
  readonly headers: readonly string[]
  /** Values that are commands. */
  readonly commands: readonly { readonly field: string; readonly command: string }[]
  /** What the server gets of the user's: variables, files, sign-ins. */
  readonly uses: readonly { readonly field: string; readonly what: string }[]
  readonly inheritsEnvironment: boolean
  readonly changed: readonly Change[]
}

export function toTrustJson({ name, entry, facts, changed }: TrustQuestion): TrustJson {
  const { fate } = entry
  const { source, file, line, column } = entry.entry.found.origin
  return {
    server: name,
    source,
    file: toShownFile(file),
    line,
    column,
    fate: fate.kind,
    ...('reason' in fate ? { reason: fate.reason } : {}),
    ...launchOf(facts),
    variables: namesOf(facts, 'env.'),
    headers: namesOf(facts, 'header.'),
    commands: valueCommands(facts).map(([field, command]) => ({ field, command })),
    uses: namesOf(facts, USES).map((field) => ({ field, what: facts[USES + field]! })),
    inheritsEnvironment: facts['inheritEnv'] === 'true',
    changed: changed.map(maskChange),
  }
}

function launchOf(
  facts: TrustFacts,
): Pick<TrustJson, 'type' | 'command' | 'args' | 'program' | 'cwd' | 'envFile' | 'url' | 'headersHelper'> {
  const { type = '', command, args, executable, cwd, envFile, url, headersHelper } = facts
  return {
    type,
    ...(command === undefined ? {} : { command }),
    ...(args === undefined ? {} : { args: readArgs(args) }),
    ...(executable === undefined ? {} : { program: executable }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(envFile === undefined ? {} : { envFile: toEnvFileJson(envFile, facts) }),
    ...(url === undefined ? {} : { url: maskShown(url) }),
    ...(headersHelper === undefined ? {} : { headersHelper }),
  }
}

function toEnvFileJson(file: string, facts: TrustFacts): NonNullable<TrustJson['envFile']> {
  return {
    file,
    content: facts['envFile.content'] ?? 'not read yet',
    variables: facts['envFile.variables'] ?? '',
  }
}
