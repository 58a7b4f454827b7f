/**
 * uri-template: RFC 6570, with texts and lists as values (level 4 without associative arrays).
 *
 * in     a template, and values by name
 * out    the URI; a variable without a value adds nothing, as in the RFC
 * never  throws: an invalid expression stays as written
 */
export type TemplateValue = string | readonly string[]

export interface TemplateVariable {
  readonly name: string
  /** Without it the URI is incomplete. Variables of a query, a fragment or of parameters may be missing. */
  readonly isRequired: boolean
}

export function expandTemplate(template: string, values: ReadonlyMap<string, TemplateValue>): string {
  return template.replace(PARTS, (part, operator: string | undefined, list: string | undefined) => {
    if (operator === undefined || list === undefined) return encodeReserved(part)
    const specs = parseList(list)
    return specs === undefined ? part : expand(OPERATORS[operator]!, specs, values)
  })
}

/** Each once, in order. */
export function variablesOf(template: string): readonly TemplateVariable[] {
  const found = new Map<string, boolean>()
  for (const [, operator, list] of template.matchAll(PARTS)) {
    for (const { name } of (list === undefined ? undefined : parseList(list)) ?? [])
      found.set(name, found.get(name) === true || operator === '' || operator === '+')
  }
  return [...found].map(([name, isRequired]) => ({ name, isRequired }))
}

/** An expression, or a run of other characters. */
const PARTS = /\{([+#./;?&]?)([^{}]*)\}|[^{]+|\{/g

interface Operator {
  readonly first: string
  readonly separator: string
  readonly isNamed: boolean
  /** The text after the name of an empty value. */
  readonly ifEmpty: string
  readonly encode: (text: string) => string
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': { first: '', separator: ',', isNamed: false, ifEmpty: '', encode: encodeAll },
  '+': { first: '', separator: ',', isNamed: false, ifEmpty: '', encode: encodeReserved },
  '#': { first: '#', separator: ',', isNamed: false, ifEmpty: '', encode: encodeReserved },
  '.': { first: '.', separator: '.', isNamed: false, ifEmpty: '', encode: encodeAll },
  '/': { first: '/', separator: '/', isNamed: false, ifEmpty: '', encode: encodeAll },
  ';': { first: ';', separator: ';', isNamed: true, ifEmpty: '', encode: encodeAll },
  '?': { first: '?', separator: '&', isNamed: true, ifEmpty: '=', encode: encodeAll },
  '&': { first: '&', separator: '&', isNamed: true, ifEmpty: '=', encode: encodeAll },
}

interface Spec {
  readonly name: string
  /** The number of characters to take from the value. */
  readonly length: number
  readonly isExploded: boolean
}

/** Servers name variables more freely than the RFC allows. Undefined: this is no list of variables. */
function parseList(list: string): readonly Spec[] | undefined {
  const specs = list.split(',').map((spec) => /^([^:*\s]+)(?::(\d{1,4})|(\*))?$/.exec(spec.trim()))
  if (specs.includes(null)) return undefined
  return specs.map((spec) => ({
    name: spec![1]!,
    length: spec![2] === undefined ? Infinity : Number(spec![2]),
    isExploded: spec![3] !== undefined,
  }))
}

function expand(
  operator: Operator,
  specs: readonly Spec[],
  values: ReadonlyMap<string, TemplateValue>,
): string {
  const parts = specs.flatMap((spec) => {
    const value = values.get(spec.name)
    return value === undefined ? [] : expandOne(operator, spec, value)
  })
  return parts.length === 0 ? '' : operator.first + parts.join(operator.separator)
}

function expandOne(operator: Operator, { name, length, isExploded }: Spec, value: TemplateValue): string[] {
  const { isNamed, ifEmpty, encode } = operator
  const withName = (text: string): string =>
    isNamed ? `${encodeReserved(name)}${text === '' ? ifEmpty : `=${text}`}` : text
  if (typeof value === 'string') {
    const part = length === Infinity ? value : [...value].slice(0, length).join('')
    return [withName(encode(part))]
  }
  const items = value.map((item) => encode(item))
  if (items.length === 0) return []
  return isExploded ? items.map(withName) : [withName(items.join(','))]
}

function encodeAll(text: string): string {
  return text.replace(/[^A-Za-z0-9._~-]/gu, encodeCharacter)
}

/** Keeps characters with a meaning in a URI, and what is already encoded. */
function encodeReserved(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]/gu, (found) =>
    found.length === 3 && found.startsWith('%') ? found : encodeCharacter(found),
  )
}

/** Half of a surrogate pair is no character, and cannot be encoded. */
function encodeCharacter(character: string): string {
  const safe = /\p{Cs}/u.test(character) ? '\ufffd' : character
  return encodeURIComponent(safe).replace(
    /[!'()*]/g,
    (left) => `%${left.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
