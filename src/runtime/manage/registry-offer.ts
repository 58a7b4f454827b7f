/**
 * registry-offer: the packages and remotes of a registry's server → entries of ours.
 *
 * in     a server as a registry describes it; any author may have written that
 * out    an offer for each package and remote: a command or an address with gaps, and the inputs for the gaps; or the
 *        reason why there is none
 * never  makes anything but plain text of the registry's words: no `!command`, no `${VAR}`, no flag in place of a name
 */
import { isSecretName } from '../../problem/mask-text.ts'
import type { Env, Platform, World } from '../../world/world.ts'
import type { JsonObject } from '../definition-json.ts'
import { createDesk, isVariable } from './offer-desk.ts'
import { RUNNERS } from './offer-runners.ts'
import { Unusable, type Gapped, type NoOffer, type Offer } from './offer.ts'
import type { RegistryPackage, RegistryRemote, RegistryServer } from './registry-server.ts'

export interface Offers {
  readonly offers: readonly Offer[]
  readonly others: readonly NoOffer[]
}

/** What an offer depends on in addition to the server. */
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

/** The entry. An input without a value becomes a variable. */
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

/** The inputs whose values no screen may show: secrets, and every value of a variable or header. */
export function hiddenInputs({ shape, inputs }: Offer): ReadonlySet<string> {
  const pairs = shape.kind === 'local' ? shape.env : shape.headers
  const inPairs = pairs
    .flatMap(([, value]) => value)
    .flatMap((piece) => (typeof piece === 'string' ? [] : [piece.id]))
  return new Set([...inPairs, ...inputs.filter(({ isSecret }) => isSecret).map(({ id }) => id)])
}

/** The name of the server here, unless the user chooses another. */
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

function tryOffer(label: string, { env }: Surroundings, make: () => Offer): Offer | NoOffer {
  try {
    return requireNoVariables(make(), env)
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { label, why: error.message }
  }
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
  const desk = createDesk(shortNameOf(server))
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

/** On Windows npx is a script that only the shell there can start, so its arguments must mean nothing to that shell. */
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
  const desk = createDesk(shortNameOf(server))
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

/** Refuses a value of `env` or `headers` that is the name of a variable: it would become that variable's value. */
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

/** Whether the variable is set, or its name sounds like a secret. */
function mayBeVariable(text: string, env: Env): boolean {
  return Object.hasOwn(env, text) || (isVariable(text) && isSecretName(text))
}

function labelOf({ type, identifier, version }: RegistryPackage): string {
  return `${type} package ${identifier}${version === undefined ? '' : ` ${version}`}`
}
