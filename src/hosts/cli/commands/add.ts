/**
 * add: writes a server into one of our files. It accepts the syntax of `claude mcp add`, so that users can paste a line
 * from any README. Without arguments, on a terminal, it asks.
 */
import { parseCommandWords } from '../../../base/command-words.ts'
import { SECRET_MARK } from '../../../base/secret.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { nothingToAdd } from '../../../runtime/manage/add-problems.ts'
import {
  isAddress,
  toEntry,
  TRANSPORTS,
  type AddRequest,
  type ClientOptions,
  type TransportChoice,
} from '../../../runtime/manage/add-wish.ts'
import {
  answerWizard,
  faultOf,
  parseHeader,
  questionOf,
  startWizard,
  type Wizard,
} from '../../../runtime/manage/add-wizard.ts'
import type { WritableScope } from '../../../runtime/manage/scope-file.ts'
import type { World } from '../../../world/world.ts'
import { addEntry } from '../add-entry.ts'
import { askForSecret } from '../client-secret.ts'
import type { CommandContext, Flags } from '../command.ts'
import { INTERRUPTED } from '../exit-codes.ts'
import { toPair } from '../pairs.ts'
import { badChoice, badHeader, badPort, openQuote, tooManyArguments } from '../problems.ts'
import { findWritableScope } from '../writable-scope.ts'

/** Throws `manage/…` when the server cannot be added, `cli/…` when the line cannot be understood. */
export async function run(context: CommandContext): Promise<number> {
  const { args, flags, terminal, json, world } = context
  const scope = findWritableScope(flags) ?? 'user'
  if (args.length === 0 && flags['url'] === undefined) {
    if (!terminal.canAsk || json) throw new ProblemError(nothingToAdd)
    return runWizard(context)
  }
  const [name = '', ...rest] = args
  const wish = placed(context, toWish(world, flags, rest), scope)
  // Report faults before the user types a secret.
  toEntry(wish)
  const secret = await askForSecret(context)
  if (secret === 'interrupted') return INTERRUPTED
  return addEntry(context, { name, scope, entry: toEntry(withSecret(wish, secret?.text)) })
}

function withSecret(wish: AddRequest, clientSecret: string | undefined): AddRequest {
  return clientSecret === undefined ? wish : { ...wish, oauth: { ...wish.oauth, clientSecret } }
}

async function runWizard(context: CommandContext): Promise<number> {
  const { terminal } = context
  let wizard: Wizard = startWizard()
  while (wizard.state === 'asking') {
    const now = wizard
    const question = questionOf(now)
    if (question.kind === 'choice' && question.shown !== undefined)
      terminal.out(`${question.shown.map((line) => `  ${line}`).join('\n')}\n`)
    const answer =
      question.kind === 'choice'
        ? await terminal.choose(question.text, question.options)
        : await terminal.ask(question.text, { ...question, fault: (text) => faultOf(now, text.trim()) })
    if (answer === undefined) return INTERRUPTED
    wizard = answerWizard(now, answer.trim())
  }
  if (wizard.state === 'cancelled') return INTERRUPTED
  const { name, scope, wish } = wizard
  return addEntry(context, { name, scope, entry: toEntry(wish) })
}

function toWish(world: World, flags: Flags, rest: readonly string[]): AddRequest {
  const transport = readTransport(flags)
  const target = rest[0]
  const isUrl =
    target !== undefined && transport !== 'stdio' && flags['url'] === undefined && isAddress(target)
  if (isUrl && rest.length > 1)
    throw new ProblemError(tooManyArguments('plugboard add', rest[1]!, 'plugboard add <name> <url> [flags]'))
  return {
    command: isUrl ? [] : toCommand(world, rest),
    url: isUrl ? target : textOf(flags, 'url'),
    transport,
    env: listOf(flags, 'env').map(toPair),
    headers: listOf(flags, 'header').map((given) => {
      const header = parseHeader(given)
      if (header === undefined) throw new ProblemError(badHeader)
      return header
    }),
    token: textOf(flags, 'token'),
    cwd: textOf(flags, 'cwd'),
    oauth: readClient(flags),
  }
}

/** The secret is still a placeholder: the user has not typed it yet. */
function readClient(flags: Flags): ClientOptions | undefined {
  const names = ['client-id', 'client-secret', 'callback-port']
  if (names.every((name) => flags[name] === undefined)) return undefined
  return {
    clientId: textOf(flags, 'client-id'),
    ...(flags['client-secret'] === true ? { clientSecret: SECRET_MARK } : {}),
    callbackPort: readPort(flags),
  }
}

function readPort(flags: Flags): number | undefined {
  const given = textOf(flags, 'callback-port')
  if (given === undefined) return undefined
  const port = Number(given)
  if (!/^\d{1,5}$/.test(given) || port < 1 || port > 65_535)
    throw new ProblemError(badPort('callback-port', given))
  return port
}

/** A quoted `'npx -y foo'` is a command line, unless a program has exactly this name. */
function toCommand({ files, paths, cwd }: World, words: readonly string[]): readonly string[] {
  const [only = '', ...more] = words
  if (more.length > 0 || !/\s/.test(only) || files.kind(paths.resolve(cwd, only)) !== 'missing') return words
  const parsed = parseCommandWords(only)
  if (parsed.kind === 'open-quote') throw new ProblemError(openQuote(parsed.quote))
  return parsed.words
}

/** A folder is relative to the current one. In a repository, it is stored so that it works in every clone. */
function placed({ world }: CommandContext, wish: AddRequest, scope: WritableScope): AddRequest {
  const { cwd } = wish
  if (cwd === undefined || cwd.includes('${')) return wish
  const { paths } = world
  const isPortable = scope === 'project' && !paths.isAbsolute(cwd)
  return { ...wish, cwd: isPortable ? cwd : paths.resolve(world.cwd, cwd) }
}

function readTransport(flags: Flags): TransportChoice | undefined {
  const given = textOf(flags, 'transport')
  const isHttp = flags['http'] === true
  if (given === undefined) return isHttp ? 'http' : undefined
  const spelled = /^streamable[-_]?http$/i.test(given) ? 'http' : given
  const transport = TRANSPORTS.find((one) => one === spelled)
  if (transport === undefined || (isHttp && transport !== 'http'))
    throw new ProblemError(badChoice('transport', given, isHttp ? ['http'] : TRANSPORTS))
  return transport
}

function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name]
  return Array.isArray(value) ? value : []
}
