/**
 * judge: checks each item of a list by itself.
 *
 * in     the items of one list as they came; those that are too deep are marked
 * out    the usable items, unchanged except for fields that are `null`; for every other item, the reason
 * never  lets one bad item affect its neighbours
 */
import { MAX_DEPTH } from '../../base/depth.ts'
import type { Listed, ListedTool, ListKind, Quarantined } from '../../model/offering.ts'

/** Stands for an item that is nested too deep. */
export const TOO_DEEP = Symbol('too deep')

export interface Judgement {
  readonly kept: readonly Listed[]
  readonly quarantined: readonly Quarantined[]
}

/** Why a well-formed tool cannot be used in this session, if it cannot. */
export type FindToolFault = (tool: ListedTool) => string | undefined

type Fields = Readonly<Record<string, unknown>>

export function judge(
  kind: ListKind,
  items: readonly unknown[],
  findToolFault: FindToolFault = () => undefined,
): Judgement {
  const kept: Listed[] = []
  const quarantined: Quarantined[] = []
  const taken = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    const fields = isFields(item) ? complete(kind, withoutNulls(item)) : undefined
    const id = fields?.[IDS[kind]]
    const fault = fields === undefined ? describe(item) : findFault(kind, fields, findToolFault)
    const reason =
      fault ?? (taken.has(id) ? `a ${WORDS[kind]} before it has the same \`${IDS[kind]}\`` : undefined)
    if (reason !== undefined) quarantined.push({ kind, name: nameItem(fields, index), reason })
    else {
      taken.add(id)
      kept.push(fields as Listed)
    }
  }
  return { kept, quarantined }
}

/** Identifies an item of a list. The name of a resource is for users, and may occur twice. */
const IDS: Readonly<Record<ListKind, string>> = {
  tool: 'name',
  resource: 'uri',
  'resource-template': 'uriTemplate',
  prompt: 'name',
}

const WORDS: Readonly<Record<ListKind, string>> = {
  tool: 'tool',
  resource: 'resource',
  'resource-template': 'resource template',
  prompt: 'prompt',
}

function complete(kind: ListKind, fields: Fields): Fields {
  const needsName = kind === 'resource' && fields['name'] === undefined
  return needsName && typeof fields['uri'] === 'string' ? { ...fields, name: fields['uri'] } : fields
}

/** Servers write `null` for absent fields. Returns the same object when there is none. */
function withoutNulls(fields: Fields): Fields {
  if (!Object.values(fields).includes(null)) return fields
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function findFault(kind: ListKind, fields: Fields, findToolFault: FindToolFault): string | undefined {
  const textFault = findTextFault(fields, IDS[kind]) ?? findTextFault(fields, 'name')
  if (textFault !== undefined) return textFault
  if (kind !== 'tool') return undefined
  const schema = fields['inputSchema']
  if (schema === undefined) return 'it has no `inputSchema`'
  if (!isFields(schema)) return `its \`inputSchema\` must be an object, but is ${nameType(schema)}`
  return findToolFault(fields as ListedTool)
}

function findTextFault(fields: Fields, field: string): string | undefined {
  const value = fields[field]
  if (value === undefined) return `it has no \`${field}\``
  if (typeof value !== 'string') return `its \`${field}\` must be text, but is ${nameType(value)}`
  return value === '' ? `its \`${field}\` is empty` : undefined
}

function nameItem(fields: Fields | undefined, index: number): string {
  const name = fields?.['name']
  return typeof name === 'string' && name !== '' ? name : `#${index + 1}`
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function describe(item: unknown): string {
  if (item === TOO_DEEP) return `it is nested more than ${MAX_DEPTH} levels deep`
  return `it must be an object, but is ${nameType(item)}`
}

function nameType(value: unknown): string {
  if (value === null) return '`null`'
  if (Array.isArray(value)) return 'a list'
  const names: Readonly<Record<string, string>> = { string: 'text', object: 'an object' }
  return names[typeof value] ?? `a ${typeof value}`
}
