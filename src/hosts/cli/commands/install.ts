/**
 * install: writes a server of an MCP registry into one of our files. The user sees the registry's whole entry first.
 */
import { joinCommandWords } from '../../../base/command-words.ts'
import { toPrintable } from '../../../base/printable.ts'
import { SECRET_MARK } from '../../../base/secret.ts'
import { ProblemError } from '../../../problem/problem.ts'
import type { JsonObject } from '../../../runtime/definition-json.ts'
import { notForUrl } from '../../../runtime/manage/add-problems.ts'
import type { Pair } from '../../../runtime/manage/add-wish.ts'
import { planAdd } from '../../../runtime/manage/add-server.ts'
import type { Offer, OfferInput } from '../../../runtime/manage/offer.ts'
import { fillOffer, hiddenInputs, shortNameOf, toOffers } from '../../../runtime/manage/registry-offer.ts'
import {
  isDeleted,
  needsConsent,
  noSuchOffer,
  nothingToInstall,
} from '../../../runtime/manage/registry-problems.ts'
import type { RegistryServer } from '../../../runtime/manage/registry-server.ts'
import { requireRegistryServer } from '../../../runtime/manage/registry.ts'
import { showPath } from '../../shared/show-path.ts'
import { addEntry } from '../add-entry.ts'
import type { CommandContext, Flags } from '../command.ts'
import { DENIED, INTERRUPTED } from '../exit-codes.ts'
import { findRegistry } from '../find-registry.ts'
import { toPair } from '../pairs.ts'
import { findWritableScope } from '../writable-scope.ts'
import { WARNING } from '../../shared/trust-question.ts'

/** Throws `registry/…`, `manage/…`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, args, flags } = context
  const loaded = await context.load()
  const server = await requireRegistryServer(world, findRegistry(context, loaded), args[0]!)
  if (server.status === 'deleted') throw new ProblemError(isDeleted(server))
  const name = typeof flags['name'] === 'string' ? flags['name'] : shortNameOf(server)
  const scope = findWritableScope(flags) ?? 'user'
  const offer = await chooseOffer(context, server)
  if (offer === undefined) return INTERRUPTED
  // Before any question: a name that exists already ends the command.
  const { file } = await planAdd(world, loaded, { name, scope, entry: fillOffer(offer, new Map()) })
  const values = await askFor(context, offer, readPairs(flags))
  if (values === undefined) return INTERRUPTED
  const more = [...readPairs(flags)].filter(([one]) => !offer.inputs.some(({ label }) => label === one))
  if (more.length > 0 && offer.using === 'remote') throw new ProblemError(notForUrl('env'))
  const view = showConsent(server, offer, {
    entry: withMore(fillOffer(offer, withoutHidden(offer, values)), more.map(hidden)),
    goesTo: `${showPath(file, world)}, as \`${name}\``,
  })
  const consent = await askConsent(context, name, view)
  if (consent !== 'yes') return consent === 'no' ? DENIED : INTERRUPTED
  return addEntry(context, { name, scope, entry: withMore(fillOffer(offer, values), more) })
}

async function chooseOffer(context: CommandContext, server: RegistryServer): Promise<Offer | undefined> {
  const { flags, terminal } = context
  const { offers, others } = toOffers(server, context.world)
  const [first] = offers
  if (first === undefined) throw new ProblemError(nothingToInstall(server, others))
  const using = flags['using']
  if (typeof using === 'string') {
    const found = offers.find((one) => one.using === using)
    if (found === undefined)
      throw new ProblemError(
        noSuchOffer(
          server,
          using,
          offers.map((one) => one.using),
        ),
      )
    return found
  }
  if (offers.length === 1 || !mayAsk(context)) return first
  const answer = await terminal.choose(
    'In which way?',
    offers.map(({ label }, i) => ({ value: String(i), label: toPrintable(label) })),
  )
  return answer === undefined ? undefined : offers[Number(answer)]
}

function mayAsk({ terminal, json, flags }: CommandContext): boolean {
  return terminal.canAsk && !json && flags['yes'] !== true
}

type Values = ReadonlyMap<string, string>

/** By id. A value that the user does not give comes from its variable, or from the registry's default. */
async function askFor(
  context: CommandContext,
  { inputs }: Offer,
  given: Values,
): Promise<Values | undefined> {
  const values = new Map<string, string>()
  for (const input of inputs) {
    const known = given.get(input.label)
    const answer = known ?? (mayAsk(context) ? await askInput(context, input) : '')
    if (answer === undefined) return undefined
    const value = answer === '' ? input.default : answer
    if (value !== undefined) values.set(input.id, value)
  }
  return values
}

function askInput({ terminal }: CommandContext, input: OfferInput): Promise<string | undefined> {
  const { label, description, isSecret, choices, variable, example } = input
  const what = description === undefined ? '' : `: ${toPrintable(description)}`
  const otherwise = input.default === undefined ? `the variable ${variable}` : toPrintable(input.default)
  const question = `${toPrintable(label)}${what} (empty: ${otherwise})`
  if (choices.length === 0)
    return terminal.ask(question, {
      isSecret,
      ...(example === undefined ? {} : { example: toPrintable(example) }),
    })
  return terminal.choose(question, [
    { value: '', label: otherwise },
    ...choices.map((value) => ({ value, label: toPrintable(value) })),
  ])
}

/** Reads `--env NAME=value`, for variables that the registry names and for others. */
function readPairs(flags: Flags): Values {
  const given = flags['env']
  return new Map(Array.isArray(given) ? given.map(toPair) : [])
}

/** Hides what the user typed. Defaults of the registry stay visible. */
function withoutHidden(offer: Offer, values: Values): Values {
  const ids = hiddenInputs(offer)
  const isTyped = (id: string, value: string): boolean =>
    offer.inputs.find((input) => input.id === id)?.default !== value
  return new Map(
    [...values].map(([id, value]) => [id, ids.has(id) && isTyped(id, value) ? SECRET_MARK : value]),
  )
}

function hidden([name]: Pair): Pair {
  return [name, SECRET_MARK]
}

/** Adds variables that the registry did not name. */
function withMore(entry: JsonObject, more: readonly Pair[]): JsonObject {
  if (more.length === 0) return entry
  return { ...entry, env: { ...(entry['env'] as JsonObject | undefined), ...Object.fromEntries(more) } }
}

async function askConsent(
  context: CommandContext,
  name: string,
  view: readonly string[],
): Promise<'yes' | 'no' | undefined> {
  const { terminal, flags, json } = context
  if (flags['yes'] === true) {
    if (!json) terminal.out(`${view.join('\n')}\n`)
    return 'yes'
  }
  if (!mayAsk(context)) throw new ProblemError(needsConsent(name, view))
  terminal.err(`${WARNING}\n`)
  terminal.out(`\n${view.join('\n')}\n\n`)
  return terminal.choose('Install it?', [
    { value: 'no', label: 'no' },
    { value: 'yes', label: 'yes' },
  ])
}

/** The part of an entry that `fillOffer` writes. */
interface ShownEntry {
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  readonly env?: JsonObject
  readonly headers?: JsonObject
}

/** Shows the whole command or address. */
function showConsent(
  server: RegistryServer,
  offer: Offer,
  { entry, goesTo }: { readonly entry: JsonObject; readonly goesTo: string },
): readonly string[] {
  const { command, args = [], url, env, headers } = entry as ShownEntry
  const pairs = (map: JsonObject | undefined, mark: string): string =>
    Object.entries(map ?? {})
      .map(([key, value]) => `${key}${mark}${String(value)}`)
      .join(', ')
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['about', server.description],
    [
      'status',
      server.status === 'deprecated' ? `deprecated ${server.statusMessage ?? ''}`.trim() : undefined,
    ],
    ['from', [offer.label, ...offer.notes].join(', ')],
    ['source', server.repository ?? server.website],
    ['runs', command === undefined ? undefined : joinCommandWords([command, ...args])],
    ['reaches', url],
    ['variables', pairs(env, '=')],
    ['headers', pairs(headers, ': ')],
    ['goes to', goesTo],
  ]
  return [
    `${toPrintable(server.name)} ${toPrintable(server.version)}`,
    ...rows
      .filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '')
      .map(([label, value]) => `  ${label.padEnd(9)}  ${toPrintable(value)}`),
  ]
}
