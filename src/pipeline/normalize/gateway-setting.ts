/**
 * gateway-setting: reads the setting `gateway`: how a gateway is shared, and with which clients.
 *
 * in     a table
 * out    the setting; or its faults, and then the gateway does not start: a typing error must not give a client access
 */
import { toText, type ConfigNode, type Member } from '../../model/document.ts'
import { parseRate, type GatewaySetting } from '../../model/gateway-setting.ts'
import type { Problem } from '../../model/problem.ts'
import { malformed, misspelt, type At } from './setting-problems.ts'

export interface ReadGateway {
  readonly setting: GatewaySetting
  readonly faults: readonly Problem[]
}

export function readGateway(at: At, { value }: Member): ReadGateway {
  if (value.kind !== 'object')
    return { setting: {}, faults: [malformed(at, value, '`gateway` must be an object')] }
  const faults: Problem[] = []
  let setting: GatewaySetting = {}
  for (const member of value.members) {
    const reader = Object.hasOwn(READERS, member.key) ? READERS[member.key] : undefined
    if (reader === undefined) {
      // A misspelt `scopes` would open every server, so an unknown key is as bad as a wrong value.
      faults.push(misspelt(at, member, { path: `gateway.${member.key}`, known: Object.keys(READERS) }))
      continue
    }
    const read = reader.read(member.value)
    if (read === undefined)
      faults.push(malformed(at, member.value, `\`gateway.${member.key}\` must be ${reader.words}`))
    else setting = { ...setting, [member.key]: read }
  }
  return { setting, faults }
}

interface Reader {
  /** "must be …" */
  readonly words: string
  read(node: ConfigNode): GatewaySetting[keyof GatewaySetting] | undefined
}

const readAddress = (node: ConfigNode): string | undefined => {
  const text = toText(node)
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
}

const readSome = (node: ConfigNode): string | undefined => {
  const text = toText(node)
  return text === '' ? undefined : text
}

/** One text, or a list of texts. */
const readTexts = (node: ConfigNode): readonly string[] | undefined => {
  const texts = node.kind === 'array' ? node.items.map(readSome) : [readSome(node)]
  return texts.every((text) => text !== undefined) ? texts : undefined
}

const readAmount = (node: ConfigNode): number | undefined =>
  node.kind === 'scalar' && typeof node.value === 'number' && Number.isFinite(node.value) && node.value >= 0
    ? node.value
    : undefined

const LIMIT: Reader = {
  words: 'a whole number, or 0 for no limit',
  read: (node) =>
    node.kind === 'scalar' && Number.isInteger(node.value) && Number(node.value) >= 0
      ? Number(node.value)
      : undefined,
}

const FILE: Reader = { words: 'the path of a file', read: readSome }

const ADDRESS: Reader = { words: 'an address that begins with `https://` or `http://`', read: readAddress }

const TEXTS: Reader = { words: 'a text, or a list of texts', read: readTexts }

const READERS: Readonly<Record<string, Reader>> = {
  rateLimit: {
    words: '`"100/s"`, `"600/m"` or the like, or `"off"`',
    read: (node) => parseRate(toText(node) ?? ''),
  },
  loopLimit: LIMIT,
  maxResultTokens: LIMIT,
  audit: FILE,
  auditArguments: {
    words: '`true` or `false`',
    read: (node) => (node.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : undefined),
  },
  auditKeepDays: LIMIT,
  auditKeepMegabytes: LIMIT,
  authIssuer: ADDRESS,
  authAudience: TEXTS,
  publicUrl: ADDRESS,
  allowedHosts: TEXTS,
  scopes: {
    words: 'an object of scopes, each with the names of the servers that it opens',
    read: readScopes,
  },
  lameDuckSeconds: {
    words: 'a number of seconds, up to 3600',
    read: (node) => {
      const seconds = readAmount(node)
      return seconds === undefined || seconds > 3600 ? undefined : seconds
    },
  },
  tlsCert: FILE,
  tlsKey: FILE,
  idleMinutes: { words: 'a number of minutes, or 0 for never', read: readAmount },
  maxPerServer: { words: 'a number', read: readAmount },
}

/** docs/reference/gateway-settings.md describes each key. */
export const GATEWAY_KEYS: readonly string[] = Object.keys(READERS)

function readScopes(node: ConfigNode): ReadonlyMap<string, readonly string[]> | undefined {
  if (node.kind !== 'object') return undefined
  const scopes = new Map<string, readonly string[]>()
  for (const { key, value } of node.members) {
    const servers = readTexts(value)
    // The characters of OAuth: no space, and no quotation mark that could end a header value.
    if (servers === undefined || !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(key)) return undefined
    scopes.set(key, servers)
  }
  return scopes
}
