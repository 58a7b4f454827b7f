/**
 * registry-offer: the ways in which a server of a registry can be had → entries of ours.
 *
 * in     a server as a registry describes it, which anybody may have written
 * out    an offer for each package and remote: a command or an address with gaps, and what to ask for them; and why there
 *        is none for the others
 * never  makes anything but plain text of the registry's words: no `!command`, no `${VAR}`, no flag where a name belongs
 */
import { isSecretName } from '../../problem/mask-text.ts'
import type { Env, Platform, World } from '../../world/world.ts'
import type { JsonObject } from '../definition-json.ts'
import type {
  Input,
  NamedInput,
  RegistryArgument,
  RegistryPackage,
  RegistryRemote,
  RegistryServer,
} from './registry-server.ts'

export interface Offer {
  /** What `--using` names: `npm`, `pypi`, `oci`, `nuget`, `remote`. */
  readonly using: string
  /** `npm package @acme/weather 1.0.2`. */
  readonly label: string
  readonly notes: readonly string[]
  /** In the order in which they are asked for. */
  readonly inputs: readonly OfferInput[]
  readonly shape: Shape
}

export interface OfferInput {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly isSecret: boolean
  readonly default?: string
  readonly example?: string
  readonly choices: readonly string[]
  /** Named in its place where nothing is given. */
  readonly variable: string
}

/** A way that cannot be gone, and why. */
export interface NoOffer {
  readonly label: string
  readonly why: string
}

/** Text, or the id of an input. */
type Piece = string | { readonly id: string }
type Gapped = readonly Piece[]

type Shape =
  | {
      readonly kind: 'local'
      readonly command: string
      readonly args: readonly Gapped[]
      readonly env: readonly (readonly [string, Gapped])[]
    }
  | {
      readonly kind: 'remote'
      readonly type: 'http' | 'sse'
      readonly url: Gapped
      readonly headers: readonly (readonly [string, Gapped])[]
    }

export interface Offers {
  readonly offers: readonly Offer[]
  readonly others: readonly NoOffer[]
}

/** What an offer depends on, beside the server. */
export type Surroundings = Pick<World, 'platform' | 'env'>

export function toOffers(server: RegistryServer, here: Surroundings): Offers {
  const made = [
    ...server.packages.map((one) =>
      tryOffer(labelOf(one), here, () => toPackageOffer(server, one, here.platform)),
    ),
    ...server.remotes.map((one) => tryOffer(`at ${one.url}`, here, () => toRemoteOffer(server, one))),
  ]
  return {
    offers: made.filter((one) => 'shape' in one),
    others: made.filter((one) => 'why' in one),
  }
}

/** The entry; what is not given is left to a variable. */
export function fillOffer({ shape, inputs }: Offer, given: ReadonlyMap<string, string>): JsonObject {
  const byId = new Map(inputs.map((input) => [input.id, input]))
  const fill = (gapped: Gapped): string =>
    gapped
      .map((piece) => {
        if (typeof piece === 'string') return piece
        return given.get(piece.id) ?? `\${${byId.get(piece.id)!.variable}}`
      })
      .join('')
  const fillAll = (pairs: readonly (readonly [string, Gapped])[]): JsonObject =>
    Object.fromEntries(pairs.map(([name, value]) => [name, fill(value)]))
  if (shape.kind === 'local') {
    const { command, args, env } = shape
    return {
      type: 'stdio',
      command,
      args: args.map(fill),
      ...(env.length === 0 ? {} : { env: fillAll(env) }),
    }
  }
  const { type, url, headers } = shape
  return { type, url: fill(url), ...(headers.length === 0 ? {} : { headers: fillAll(headers) }) }
}

/** The inputs whose values are nobody's to see: secrets, and whatever goes into a variable or header. */
export function hiddenInputs({ shape, inputs }: Offer): ReadonlySet<string> {
  const pairs = shape.kind === 'local' ? shape.env : shape.headers
  const inPairs = pairs
    .flatMap(([, value]) => value)
    .flatMap((piece) => (typeof piece === 'string' ? [] : [piece.id]))
  return new Set([...inPairs, ...inputs.filter(({ isSecret }) => isSecret).map(({ id }) => id)])
}

/** What it is called here, unless its user has a better name. */
export function shortNameOf({ name }: Pick<RegistryServer, 'name'>): string {
  const [space = '', own = ''] = name.includes('/') ? name.split('/', 2) : ['', name]
  const isNoName = /^(?:mcp|server|mcp[-_.]?server)$/i.test(own)
  const best = isNoName ? (space.split('.').at(-1) ?? own) : own
  return (
    best
      .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
      .replace(/^[-.]+/, '')
      .slice(0, 100) || 'server'
  )
}

/** Thrown while an offer is made; never leaves this file. */
class Unusable extends Error {}

function tryOffer(label: string, { env }: Surroundings, make: () => Offer): Offer | NoOffer {
  try {
    return requireNoVariables(make(), env)
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { label, why: error.message }
  }
}

/** How a kind of package is run; what it is called must not be able to look like anything else. */
interface Runner {
  readonly command: string
  /** Other programs that take the same words. */
  readonly alike: readonly string[]
  readonly isIdentifier: RegExp
  words(parts: Parts): readonly Gapped[]
}

interface Parts {
  readonly pack: RegistryPackage
  readonly runtime: readonly Gapped[]
  readonly own: readonly Gapped[]
  /** Names of the variables that it gets. */
  readonly names: readonly string[]
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    command: 'npx',
    alike: ['bunx'],
    isIdentifier: /^(?:@[\w.~-]+\/)?[\w.~][\w.~-]*$/,
    words: ({ pack, runtime, own }) => [
      ...(hasWord(runtime, '-y', '--yes') ? [] : [['-y']]),
      ...runtime,
      [withVersion(pack, '@')],
      ...own,
    ],
  },
  pypi: {
    command: 'uvx',
    alike: [],
    isIdentifier: /^[A-Za-z0-9][\w.-]*$/,
    words: ({ pack, runtime, own }) => [...runtime, [withVersion(pack, '@')], ...own],
  },
  oci: {
    command: 'docker',
    alike: ['podman'],
    isIdentifier: /^[A-Za-z0-9][\w./:@-]*$/,
    words: ({ pack, runtime, own, names }) => [
      ...['run', '-i', '--rm'].map((word) => [word]),
      ...names.flatMap((name) => [['-e'], [name]]),
      ...withoutWords(runtime, ['run', '-i', '--interactive', '--rm']),
      [imageOf(pack)],
      ...own,
    ],
  },
  nuget: {
    command: 'dnx',
    alike: [],
    isIdentifier: /^[A-Za-z0-9][\w.-]*$/,
    words: ({ pack, runtime, own }) => [
      [withVersion(pack, '@')],
      ...(hasWord(runtime, '--yes') ? [] : [['--yes']]),
      ...runtime,
      ...(own.length === 0 ? [] : [['--'], ...own]),
    ],
  },
}

function toPackageOffer(server: RegistryServer, pack: RegistryPackage, platform: Platform): Offer {
  const runner = Object.hasOwn(RUNNERS, pack.type) ? RUNNERS[pack.type] : undefined
  if (runner === undefined)
    throw new Unusable(`Plugboard does not know how to run packages of type \`${pack.type}\``)
  if (pack.transport !== 'stdio')
    throw new Unusable('it is a server with an address of its own: start it yourself and add its address')
  if (!runner.isIdentifier.test(pack.identifier))
    throw new Unusable('its name is not one that such a package can have')
  if (pack.version !== undefined && !/^[\w.+~][\w.+~-]*$/.test(pack.version))
    throw new Unusable('its version is none')
  const desk = createDesk(server)
  const runtime = pack.runtimeArguments.flatMap((one) => desk.argument(one))
  const own = pack.packageArguments.flatMap((one) => desk.argument(one))
  const env = desk.pairs(pack.variables, /^[A-Za-z_]\w*$/)
  const words = runner.words({ pack, runtime, own, names: env.map(([name]) => name) })
  const command = runner.alike.find((one) => one === pack.runtimeHint) ?? runner.command
  return {
    using: pack.type,
    label: labelOf(pack),
    notes: pack.baseUrl === undefined ? [] : [`published at ${pack.baseUrl}`],
    inputs: desk.inputs,
    shape: { kind: 'local', ...onPlatform({ command, args: words }, platform), env },
  }
}

/** On Windows npx is a script, which only the shell there can start: its words must mean nothing to that shell. */
function onPlatform(
  { command, args }: { readonly command: string; readonly args: readonly Gapped[] },
  platform: Platform,
): { readonly command: string; readonly args: readonly Gapped[] } {
  if (platform !== 'win32' || command !== 'npx') return { command, args }
  const isOdd = args.flat().some((piece) => typeof piece === 'string' && /[&|<>^%"!\r\n]/.test(piece))
  if (isOdd) throw new Unusable('it has arguments that the shell of Windows would read as something else')
  return { command: 'cmd', args: [['/c'], [command], ...args] }
}

const REMOTE_TYPES: Readonly<Record<string, 'http' | 'sse'>> = {
  'streamable-http': 'http',
  http: 'http',
  sse: 'sse',
}

function toRemoteOffer(server: RegistryServer, remote: RegistryRemote): Offer {
  const type = Object.hasOwn(REMOTE_TYPES, remote.type) ? REMOTE_TYPES[remote.type] : undefined
  if (type === undefined) throw new Unusable(`Plugboard does not speak \`${remote.type}\``)
  const desk = createDesk(server)
  const url = desk.template('url', remote.url, remote.variables)
  const headers = desk.pairs(remote.headers, /^[\w!#$%&'*+.^`|~-]+$/)
  return {
    using: 'remote',
    label: `at ${remote.url}`,
    notes: [],
    inputs: desk.inputs,
    shape: { kind: 'remote', type, url, headers },
  }
}

/** Where inputs are gathered while the parts of an offer are made. */
interface Desk {
  readonly inputs: OfferInput[]
  /** The words of one argument; none for one that is not needed. */
  argument(argument: RegistryArgument): readonly Gapped[]
  /** Variables or headers that are fixed or needed. */
  pairs(named: readonly NamedInput[], isName: RegExp): readonly (readonly [string, Gapped])[]
  /** A text with `{variables}`. */
  template(label: string, text: string, variables: ReadonlyMap<string, Input>): Gapped
}

function createDesk(server: RegistryServer): Desk {
  const inputs: OfferInput[] = []
  const prefix = toVariable(shortNameOf(server))
  const ask = (label: string, input: Input, variable = `${prefix}_${toVariable(label)}`): Piece => {
    const id = `${inputs.length}`
    const { description, isSecret, choices, example } = input
    for (const text of [input.default ?? '', ...choices]) requirePlain(text)
    inputs.push({
      id,
      label,
      isSecret,
      choices,
      variable,
      ...(description === undefined ? {} : { description }),
      ...(input.default === undefined ? {} : { default: input.default }),
      ...(example === undefined ? {} : { example }),
    })
    return { id }
  }
  const desk: Desk = {
    inputs,
    template(_, text, variables) {
      const pieces = text.split(/\{([A-Za-z_]\w*)\}/)
      return pieces.flatMap((piece, i): Piece[] => {
        if (i % 2 === 0) return piece === '' ? [] : [requirePlain(piece)]
        const variable = variables.get(piece)
        // As the format has it: what is not explained stands for itself.
        if (variable === undefined) return [`{${piece}}`]
        if (variable.value !== undefined) return [requirePlain(variable.value)]
        const isAsked = variable.isRequired || variable.default === undefined
        return [isAsked ? ask(piece, variable) : requirePlain(variable.default!)]
      })
    },
    argument(argument) {
      const { flag, value, label } = argument
      if (!isNeededInput(argument)) return []
      if (flag !== undefined && !/^--?[\w][\w.-]*$/.test(flag)) throw new Unusable('one of its flags is none')
      const own =
        value === undefined
          ? [ask(label ?? 'argument', argument)]
          : desk.template(label ?? '', value, argument.variables)
      if (flag === undefined) return [own]
      return own.length === 0 ? [[flag]] : [[flag], own]
    },
    pairs: (named, isName) =>
      named.flatMap((input): readonly (readonly [string, Gapped])[] => {
        const { name, value } = input
        if (!isName.test(name)) throw new Unusable('a variable or header of it has no proper name')
        if (!isNeededInput(input)) return []
        if (value !== undefined) return [[name, desk.template(name, value, input.variables)]]
        return [[name, [ask(name, input, isVariable(name) ? name : undefined)]]]
      }),
  }
  return desk
}

/** What is fixed counts as needed, unless there is a gap in it that nobody has to fill. */
function isNeededInput({ isRequired, value, variables }: Input): boolean {
  const gaps = [...variables.values()].filter((one) => one.value === undefined && one.default === undefined)
  return (
    isRequired ||
    [...variables.values()].some((one) => one.isRequired) ||
    (value !== undefined && gaps.length === 0)
  )
}

/** Our files would put the value of a variable in, or run a command, and hand it to whoever the registry names. */
function requirePlain(text: string): string {
  // Alone, too: it may come to stand before a brace.
  if (text.includes('$'))
    throw new Unusable('it has a value that Plugboard would read as a variable of yours')
  if (text.startsWith('!')) throw new Unusable('it has a value that Plugboard would run as a command')
  if (/\p{Cc}/u.test(text)) throw new Unusable('it has a value with control characters')
  return text
}

/** A value of `env` or `headers` that is the name of a variable would become that variable's value. */
function requireNoVariables(offer: Offer, env: Env): Offer {
  const { shape, inputs } = offer
  const byId = new Map(inputs.map((input) => [input.id, input]))
  for (const [, value] of shape.kind === 'local' ? shape.env : shape.headers) {
    const text = value
      .map((piece) => (typeof piece === 'string' ? piece : (byId.get(piece.id)!.default ?? '$')))
      .join('')
    const choices = value.flatMap((piece) => (typeof piece === 'string' ? [] : byId.get(piece.id)!.choices))
    if ([text, ...choices].some((one) => mayBeVariable(one, env)))
      throw new Unusable('it has a value that Plugboard would read as a variable of yours')
  }
  return offer
}

/** One that is set, or that sounds as if it would hold a secret when it is. */
function mayBeVariable(text: string, env: Env): boolean {
  return Object.hasOwn(env, text) || (isVariable(text) && isSecretName(text))
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name)
}

function toVariable(label: string): string {
  const name = label
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return /^[A-Z]/.test(name) ? name : `X_${name}`
}

function labelOf({ type, identifier, version }: RegistryPackage): string {
  return `${type} package ${identifier}${version === undefined ? '' : ` ${version}`}`
}

function withVersion({ identifier, version }: RegistryPackage, mark: string): string {
  return version === undefined ? identifier : `${identifier}${mark}${version}`
}

/** Newer entries have the tag in the identifier, older ones beside it. */
function imageOf(pack: RegistryPackage): string {
  const hasTag = /[:@][^/]*$/.test(pack.identifier)
  return hasTag ? pack.identifier : withVersion(pack, ':')
}

function hasWord(words: readonly Gapped[], ...wanted: readonly string[]): boolean {
  return words.some(([first]) => typeof first === 'string' && wanted.includes(first))
}

function withoutWords(words: readonly Gapped[], unwanted: readonly string[]): readonly Gapped[] {
  return words.filter((word) => !hasWord([word], ...unwanted))
}
