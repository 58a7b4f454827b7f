/**
 * simplify: expresses a schema in the few keywords of the stricter providers.
 *
 * in     a well-formed schema whose references are resolved, and the dialect to use
 * out    a schema of simple parts only: a type with its own keywords, that type or null, a lone `$ref`, or alternatives
 *        under `anyOf` with only a description beside them
 * never  drops a fact silently: the description names what the dialect has no keyword for
 *
 * If the result cannot be exact, it allows more, so that no valid call is lost. Arguments are checked against the
 * original.
 */
import {
  eachOnce,
  mapChildren,
  mapNamed,
  setOwn,
  typesOf,
  weightOf,
  without,
  type NamedSchemas,
  type Schema,
  type SchemaObject,
  type TypeName,
} from './json-schema.ts'
import { merge, withoutAllOf } from './merge.ts'
import { notesOf, toNote, withNote, withNotes } from './notes.ts'
import {
  isOwnAlternative,
  leadsToItself,
  ROOT,
  showPlace,
  spend,
  Unrepairable,
  type SchemaLocation,
  type Work,
} from './unrepairable.ts'

export interface Dialect {
  /** In messages: "gemini". */
  readonly name: string
  /** The keywords that may stand beside `type`, `properties`, `required`, `items`, `anyOf` and `$ref`. */
  readonly keywords: ReadonlySet<string>
  /** The schema for any value. Absent: the dialect has none. */
  readonly any?: SchemaObject
  /** Whether a schema without other keywords may have several types. */
  readonly typeLists: 'taken' | 'split'
  /** Whether a list must declare its items. */
  readonly items: 'required' | 'optional'
  /** The last step for each schema, after its parts are done. */
  finish(node: SchemaObject, at: SchemaLocation): SchemaObject
}

export interface Task {
  readonly dialect: Dialect
  readonly work: Work
}

/** Converts a root that is one object. Throws when no value can satisfy it. */
export function simplifyRoot(root: SchemaObject, task: Task): SchemaObject {
  const simple = requireSimple(without(root, ASIDE), ROOT, task)
  const defs = root.$defs === undefined ? {} : simplifyDefinitions(root.$defs, simple, task)
  const aliases = aliasesIn(defs)
  // Only now is it known that these definitions are mere references, so the schemas that use them can become simpler.
  if (aliases.size > 0) return simplifyRoot(withoutAliases(root, aliases) as SchemaObject, task)
  checkAlternatives(defs)
  return Object.keys(defs).length === 0 ? simple : { ...simple, $defs: defs }
}

/** No dialect has options that are whole objects. */
const ASIDE: ReadonlySet<string> = new Set(['$defs', 'enum', 'const'])

/** The definitions that are still in use. */
function simplifyDefinitions(all: NamedSchemas, body: SchemaObject, task: Task): NamedSchemas {
  const used: Record<string, Schema> = {}
  const waiting = [body]
  // The list grows while it is read.
  for (const schema of waiting) {
    for (const name of definitionsIn(schema)) {
      if (Object.hasOwn(used, name)) continue
      const place: SchemaLocation = { up: { up: ROOT, step: '$defs' }, step: name }
      const simple = requireSimple(all[name]!, place, task)
      setOwn(used, name, simple)
      waiting.push(simple)
    }
  }
  return used
}

/** Definitions that are only another reference, and their final targets. */
type Aliases = ReadonlyMap<string, string>

/** Throws when a chain of references never ends: such a schema describes no value. */
function aliasesIn(defs: NamedSchemas): Aliases {
  const next = new Map<string, string>()
  for (const [name, schema] of Object.entries(defs)) {
    if (typeof schema === 'object' && schema.$ref !== undefined) next.set(`#/$defs/${name}`, schema.$ref)
  }
  const ends = new Map<string, string>()
  for (const start of next.keys()) {
    const met = new Set<string>()
    let at = start
    for (; next.has(at) && !ends.has(at); at = next.get(at)!) {
      if (met.has(at)) throw leadsToItself(start)
      met.add(at)
    }
    for (const one of met) ends.set(one, ends.get(at) ?? at)
  }
  return ends
}

function withoutAliases(schema: Schema, aliases: Aliases): Schema {
  if (typeof schema === 'boolean') return schema
  const end = schema.$ref === undefined ? undefined : aliases.get(schema.$ref)
  if (end !== undefined) return { ...schema, $ref: end }
  return mapChildren(schema, (child) => withoutAliases(child, aliases))
}

/**
 * Throws for a schema that is its own alternative. JSON Schema does not define its meaning, and providers loop on it.
 */
function checkAlternatives(defs: NamedSchemas): void {
  const alternativesTo = new Map(
    Object.entries(defs).map(([name, schema]) => [`#/$defs/${name}`, alternativesIn(schema)]),
  )
  const done = new Set<string>()
  for (const start of alternativesTo.keys()) {
    const path = [start]
    const open = new Set(path)
    // Without recursion: a schema can be longer than the stack is deep.
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const next = alternativesTo.get(at)?.find((ref) => !done.has(ref))
      if (next !== undefined && open.has(next)) throw isOwnAlternative(next)
      if (next === undefined) done.add(path.pop()!)
      else open.add(path[path.push(next) - 1]!)
    }
  }
}

/** References that can stand for the whole schema. */
function alternativesIn(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  return schema.$ref !== undefined ? [schema.$ref] : (schema.anyOf ?? []).flatMap(alternativesIn)
}

function definitionsIn(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const { $ref, properties = {}, items = true, additionalProperties = true, anyOf = [] } = schema
  if ($ref !== undefined) return $ref === '#' ? [] : [$ref.slice('#/$defs/'.length)]
  return [...Object.values(properties), items, additionalProperties, ...anyOf].flatMap(definitionsIn)
}

function requireSimple(schema: Schema, at: SchemaLocation, task: Task): SchemaObject {
  const simple = simplify(schema, at, task)
  if (simple === undefined) throw new Unrepairable(`no value can satisfy ${showPlace(at)}`)
  return simple
}

/** Undefined when no value can satisfy it. */
export function simplify(schema: Schema, at: SchemaLocation, task: Task): SchemaObject | undefined {
  if (schema === false) return undefined
  if (schema === true) return toAny({}, at, task)
  spend(task.work, weightOf(schema))
  if (schema.$ref !== undefined) return schema
  const node = withoutAllOf(schema, task.work)
  if (node === undefined || node.$ref !== undefined) return node
  if (node.anyOf !== undefined || node.oneOf !== undefined) return simplifyUnion(node, at, task)
  return simplifyPlain(node, at, task)
}

function toAny(node: SchemaObject, at: SchemaLocation, { dialect }: Task): SchemaObject {
  const { any } = dialect
  if (any === undefined) {
    throw new Unrepairable(`${showPlace(at)} takes any value, which ${dialect.name} has no way to say`)
  }
  const { told, notes } = tellApart(node)
  return dialect.finish(withNotes({ ...told, ...any }, notes), at)
}

/** Separates what goes to the model unchanged from what becomes a note. */
function tellApart(node: SchemaObject): { readonly told: SchemaObject; readonly notes: readonly string[] } {
  const { title, description } = node
  return {
    told: {
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    },
    notes: notesOf(['default'], node),
  }
}

const UNION: ReadonlySet<string> = new Set(['anyOf', 'oneOf'])
const WORDS: ReadonlySet<string> = new Set(['title', 'description'])
const TOLD: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$schema',
  '$comment',
])

function simplifyUnion(node: SchemaObject, at: SchemaLocation, task: Task): SchemaObject | undefined {
  const beside = without(node, UNION)
  const forms = node.anyOf ?? node.oneOf!
  // The forms say only which properties belong together, so little is lost without them.
  if (forms.every(isOnlyRequired)) return simplify(beside, at, task)
  const rules = without(beside, TOLD)
  const hasRules = Object.keys(rules).length > 0
  const parts = forms.flatMap((form) => {
    const whole = hasRules ? merge(rules, form, task.work) : form
    const one = whole === undefined ? undefined : simplify(whole, at, task)
    return one === undefined ? [] : partsOf(one)
  })
  const simple = eachOnce(parts)
  const { told, notes } = tellApart(beside)
  if (simple.length === 0) return undefined
  if (simple.length === 1) return tellOne(simple[0]!, told, notes)
  const anyOf = isSameList(simple, forms) ? forms : simple
  const union = task.dialect.finish(withNotes({ ...told, anyOf }, notes), at)
  return isSame(node, union) ? node : union
}

/** A reference must stand alone, so its description is dropped. */
function tellOne(schema: SchemaObject, told: SchemaObject, notes: readonly string[]): SchemaObject {
  return schema.$ref === undefined ? withNotes({ ...schema, ...told }, notes) : schema
}

function isOnlyRequired(form: Schema): boolean {
  if (typeof form === 'boolean') return false
  const keywords = Object.keys(form)
  return (
    form.required !== undefined && keywords.every((keyword) => keyword === 'required' || TOLD.has(keyword))
  )
}

/** Alternatives inside of alternatives become alternatives of the outer schema. */
function partsOf(schema: SchemaObject): readonly SchemaObject[] {
  const isBare = schema.anyOf !== undefined && Object.keys(schema).length === 1
  return isBare ? (schema.anyOf as readonly SchemaObject[]) : [schema]
}

function simplifyPlain(node: SchemaObject, at: SchemaLocation, task: Task): SchemaObject | undefined {
  const options = Object.hasOwn(node, 'const') ? [node.const] : node.enum
  if (options !== undefined) return simplifyOptions(node, options, { at, task })
  const types = typesOf(node).length > 0 ? typesOf(node) : inferTypes(node)
  const named = types.filter((type) => type !== 'null')
  if (types.length === 0) return toAny(node, at, task)
  if (named.length > 1) return severalTypes(node, types, { at, task })
  const isNullable = named.length === 1 && types.length === 2
  return toTyped(node, { type: types.length === 1 ? types[0]! : named[0]!, isNullable }, { at, task })
}

interface Here {
  readonly at: SchemaLocation
  readonly task: Task
}

/** The types that a schema without `type` describes. */
function inferTypes(node: SchemaObject): readonly TypeName[] {
  for (const keyword of Object.keys(node)) {
    const type = KEYWORD_TYPES.get(keyword)
    if (type !== undefined && type !== 'any') return [type]
  }
  return []
}

/** The type that each keyword belongs to. Keywords that are missing here are for programs, or unknown. */
const KEYWORD_TYPES: ReadonlyMap<string, TypeName | 'any'> = new Map<string, TypeName | 'any'>([
  ['title', 'any'],
  ['description', 'any'],
  ['default', 'any'],
  ['enum', 'any'],
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['minProperties', 'object'],
  ['maxProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['minItems', 'array'],
  ['maxItems', 'array'],
  ['uniqueItems', 'array'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['pattern', 'string'],
  ['format', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
])

function belongs(keyword: string, type: TypeName): boolean {
  const owner = KEYWORD_TYPES.get(keyword)
  if (owner === 'any' || owner === type) return true
  // Number formats such as `int64`.
  const isNumber = type === 'integer' || type === 'number'
  return isNumber && (owner === 'number' || keyword === 'format')
}

/** One alternative for each type, with the keywords of that type. */
function severalTypes(node: SchemaObject, types: readonly TypeName[], here: Here): SchemaObject | undefined {
  const isBare = Object.keys(node).every((keyword) => keyword === 'type' || WORDS.has(keyword))
  if (isBare && here.task.dialect.typeLists === 'taken') return node
  const rules = without(node, TOLD)
  const anyOf = types.map((type): SchemaObject => ({ ...rules, type }))
  return simplifyUnion({ ...without(node, new Set(Object.keys(rules))), anyOf }, here.at, here.task)
}

function simplifyOptions(
  node: SchemaObject,
  options: readonly unknown[],
  here: Here,
): SchemaObject | undefined {
  const plain = without(node, CONST)
  const scalars = options.filter((option) => typeof option !== 'object' || option === null)
  // No dialect allows whole objects and lists as options.
  if (scalars.length === 0) return simplifyWithoutOptions(plain, options, here)
  const declared = typesOf(node)
  const fitting = scalars.filter(
    (option) => declared.length === 0 || declared.some((type) => isOf(option, type)),
  )
  const types = optionTypes(fitting, declared)
  const named = types.filter((type) => type !== 'null')
  if (types.length === 0) return undefined
  if (named.length > 1) return splitOptions(plain, fitting, { ...here, types })
  const isWhole = options === node.enum && fitting.length === options.length
  const typed = isWhole ? plain : { ...plain, enum: fitting }
  const isNullable = named.length === 1 && types.length === 2
  return toTyped(typed, { type: named[0] ?? 'null', isNullable }, here)
}

const CONST: ReadonlySet<string> = new Set(['const'])
const ENUM: ReadonlySet<string> = new Set(['enum'])

function simplifyWithoutOptions(
  node: SchemaObject,
  options: readonly unknown[],
  here: Here,
): SchemaObject | undefined {
  return simplifyPlain(withNote(without(node, ENUM), 'enum', options), here.at, here.task)
}

function splitOptions(
  node: SchemaObject,
  options: readonly unknown[],
  { at, task, types }: Here & { readonly types: readonly TypeName[] },
): SchemaObject | undefined {
  const rules = without(node, TOLD)
  const anyOf = types.map((type): SchemaObject => ({
    ...rules,
    type,
    enum: options.filter((option) => isOf(option, type)),
  }))
  return simplifyUnion({ ...without(node, new Set(['enum', ...Object.keys(rules)])), anyOf }, at, task)
}

function isOf(value: unknown, type: TypeName): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/**
 * The types of the options. A number is an integer if the schema says so, or if it names no type and all numbers are
 * whole.
 */
function optionTypes(options: readonly unknown[], declared: readonly TypeName[]): readonly TypeName[] {
  const found: TypeName[] = []
  const numbers = options.filter((option) => typeof option === 'number')
  const isWhole = !declared.includes('number') && numbers.every(Number.isInteger)
  if (options.some((option) => typeof option === 'string')) found.push('string')
  if (numbers.length > 0) found.push(isWhole ? 'integer' : 'number')
  if (options.some((option) => typeof option === 'boolean')) found.push('boolean')
  if (options.includes(null)) found.push('null')
  return found
}

interface Typed {
  readonly type: TypeName
  readonly isNullable: boolean
}

/** One type with its keywords. */
function toTyped(
  node: SchemaObject,
  { type, isNullable }: Typed,
  { at, task }: Here,
): SchemaObject | undefined {
  const out: Record<string, unknown> = {}
  const notes: string[] = []
  const said = typesOf(node)
  const types = !isNullable ? type : said.length === 2 && said.includes(type) ? node.type : [type, 'null']
  if (node.type === undefined) out['type'] = types
  for (const keyword of Object.keys(node)) {
    const value = node[keyword]
    if (keyword === 'type') out['type'] = types
    else if (STRUCTURE.has(keyword) && belongs(keyword, type)) setOwn(out, keyword, value)
    else if (belongs(keyword, type)) {
      const note = task.dialect.keywords.has(keyword) ? undefined : toNote(keyword, value)
      if (task.dialect.keywords.has(keyword)) setOwn(out, keyword, value)
      else if (note !== undefined) notes.push(note)
    }
  }
  if (type === 'object' && !fillObject(out, at, task)) return undefined
  if (type === 'array') fillArray(out, at, task)
  const simple = task.dialect.finish(withNotes(out, notes), at)
  return isSame(node, simple) ? node : simple
}

const STRUCTURE: ReadonlySet<string> = new Set([
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
])

/** False when a required property has a schema that no value can satisfy. */
function fillObject(out: Record<string, unknown>, at: SchemaLocation, task: Task): boolean {
  const { properties, required, additionalProperties } = out as SchemaObject
  if (properties !== undefined) {
    out['properties'] = mapNamed(properties, (child, name) => simplify(child, { up: at, step: name }, task))
  }
  const known = out['properties'] as NamedSchemas | undefined
  const isMissing = (name: string): boolean => !Object.hasOwn(known ?? {}, name)
  if (required?.some((name) => Object.hasOwn(properties ?? {}, name) && isMissing(name)) === true)
    return false
  const left = required?.some(isMissing) === true ? required.filter((name) => !isMissing(name)) : required
  if (left !== required && left?.length === 0) delete out['required']
  else if (left !== undefined) out['required'] = left
  if (typeof additionalProperties === 'object' && task.dialect.keywords.has('additionalProperties')) {
    out['additionalProperties'] = simplifyAdditional(additionalProperties, at, task)
  }
  return true
}

function simplifyAdditional(schema: SchemaObject, at: SchemaLocation, task: Task): Schema {
  const isAnything = Object.keys(schema).every((keyword) => TOLD.has(keyword))
  return isAnything ? true : (simplify(schema, { up: at, step: '*' }, task) ?? false)
}

/** A list with different items at each position becomes a list of any of them. */
function fillArray(out: Record<string, unknown>, at: SchemaLocation, task: Task): void {
  const { items, prefixItems = [] } = out as SchemaObject
  const kinds = [...prefixItems, ...(items === undefined || items === false ? [] : [items])]
  const place: SchemaLocation = { up: at, step: 'items' }
  const isSaid = kinds.length > 0 && !kinds.includes(true)
  const simple = isSaid ? simplify(kinds.length === 1 ? kinds[0]! : { anyOf: kinds }, place, task) : undefined
  if (simple !== undefined) out['items'] = simple
  else if (task.dialect.items === 'required') out['items'] = toAny({}, place, task)
  else delete out['items']
  if (prefixItems.length > 0) delete out['prefixItems']
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i])
}

/** So that the result shares unchanged parts with the original. */
function isSame(a: SchemaObject, b: SchemaObject): boolean {
  const keywords = Object.keys(a)
  return keywords.length === Object.keys(b).length && keywords.every((keyword) => a[keyword] === b[keyword])
}
