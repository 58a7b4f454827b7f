/**
 * provider-rules: what each provider takes, written down without a look at the profiles, each rule with its source.
 *
 * `known` says how sure a rule is:
 *   package      in the types or the code of the provider's own npm package, as installed
 *   agents.md    a patch that an agent in reference/agents.md §19 applies
 *   documented   in the provider's documentation or the validator it publishes; not in its npm package
 *   reported     in the provider's own error message, as users quote it
 * Only rules marked `package` can be verified here. The others cannot without an account, and may change without notice.
 *
 * Left out on purpose: the comment on `FunctionDeclaration.parameters` in @google/genai says that names of parameters have letters,
 * digits and `_` only. No agent renames them and no refusal is reported, and enforcing it would cost 15 tools of the corpus.
 */
import { Type, type Schema as GeminiSchema } from '@google/genai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { toStrictJsonSchema } from 'openai/lib/transform'
import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema, Profile } from '../../../src/model/profile.ts'

export interface Rule {
  readonly says: string
  readonly source: string
  readonly known: 'package' | 'agents.md' | 'documented' | 'reported'
  /** Where the rule is broken, and how. */
  broken(root: JsonSchema): readonly string[]
}

/** Empty when the provider takes the schema. */
export function findBroken(profile: Profile, schema: JsonSchema): readonly string[] {
  return RULES[profile].flatMap((rule) => rule.broken(schema).map((where) => `${rule.says}: ${where}`))
}

type Node = Readonly<Record<string, unknown>>

interface Visited {
  readonly node: unknown
  readonly path: string
  /** The keyword that holds it; empty at the root. */
  readonly keyword: string
}

const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']
const MANY = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/** Every place of a schema in which there is another. */
function visit(root: unknown): readonly Visited[] {
  const found: Visited[] = [{ node: root, path: '', keyword: '' }]
  // The list grows while it is read.
  for (const { node, path } of found) {
    if (!isNode(node)) continue
    const add = (child: unknown, step: string, keyword: string): void => {
      found.push({ node: child, path: `${path}/${step}`, keyword })
    }
    for (const keyword of ONE) {
      if (!Object.hasOwn(node, keyword)) continue
      if (!Array.isArray(node[keyword])) add(node[keyword], keyword, keyword)
    }
    for (const keyword of MANY) {
      const list = node[keyword]
      if (Array.isArray(list)) for (const [i, child] of list.entries()) add(child, `${keyword}/${i}`, keyword)
    }
    for (const keyword of NAMED) {
      const named = node[keyword]
      if (isNode(named))
        for (const [name, child] of Object.entries(named)) add(child, `${keyword}/${name}`, keyword)
    }
  }
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A rule about every schema in a schema. */
function everywhere(
  says: string,
  source: Pick<Rule, 'source' | 'known'>,
  isBroken: (node: Node, at: Visited) => boolean,
): Rule {
  return {
    says,
    ...source,
    broken: (root) =>
      visit(root)
        .filter((at) => isNode(at.node) && isBroken(at.node, at))
        .map(({ path }) => path || 'the root'),
  }
}

function atRoot(
  says: string,
  source: Pick<Rule, 'source' | 'known'>,
  isBroken: (root: Node) => boolean,
): Rule {
  return { says, ...source, broken: (root) => (isBroken(root) ? ['the root'] : []) }
}

const seen = (source: string): Pick<Rule, 'source' | 'known'> => ({ source, known: 'reported' })
const ofPackage = (source: string): Pick<Rule, 'source' | 'known'> => ({ source, known: 'package' })
const ofDocs = (source: string): Pick<Rule, 'source' | 'known'> => ({ source, known: 'documented' })
const ofAgents = (source: string): Pick<Rule, 'source' | 'known'> => ({
  source: `agents.md §19, ${source}`,
  known: 'agents.md',
})

const typesOf = (node: Node): readonly unknown[] => (node['type'] === undefined ? [] : [node['type']].flat())
const propertiesOf = (node: Node): Node => (isNode(node['properties']) ? node['properties'] : {})
const requiredOf = (node: Node): readonly unknown[] =>
  Array.isArray(node['required']) ? node['required'] : []
const has = (node: Node, ...keywords: readonly string[]): boolean =>
  keywords.some((keyword) => Object.hasOwn(node, keyword))

/** The metaschema of the draft, by a validator that is not ours. */
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })

function isDraft2020(root: Node): boolean {
  // What names the draft and the schema itself would be looked up and remembered.
  const { $schema: _draft, $id: _id, ...rest } = root
  return ajv.validateSchema(rest) === true
}

const isPortablePattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && !/\(\?[=!<P]|\\[pP]\{|\\u\{/.test(pattern) && isRegExp(pattern)

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}

const ANTHROPIC: readonly Rule[] = [
  atRoot(
    '`type` of the root is `object`',
    ofPackage("@anthropic-ai/sdk resources/messages/messages.d.ts, Tool.InputSchema: type: 'object'"),
    (root) => root['type'] !== 'object',
  ),
  atRoot(
    '`required` of the root is a list of names',
    ofPackage(
      '@anthropic-ai/sdk resources/messages/messages.d.ts, Tool.InputSchema: required?: Array<string> | null',
    ),
    (root) => has(root, 'required') && !requiredOf(root).every((name) => typeof name === 'string'),
  ),
  atRoot(
    '`properties` of the root is an object',
    ofAgents('OMP, opencode'),
    (root) => !isNode(root['properties']),
  ),
  atRoot(
    'no oneOf, allOf, or anyOf at the top level',
    seen(
      '"input_schema does not support oneOf, allOf, or anyOf at the top level", anthropics/claude-code#27337; agents.md §19, CC',
    ),
    (root) => has(root, 'oneOf', 'allOf', 'anyOf'),
  ),
  atRoot(
    'draft 2020-12',
    seen(
      '"JSON schema is invalid. It must match JSON Schema draft 2020-12", openclaw/openclaw#98588, Dokploy/mcp#74; comment on Tool.input_schema in messages.d.ts',
    ),
    (root) => !isDraft2020(root),
  ),
  atRoot(
    'names of arguments are plain',
    seen(`"Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", anthropics/claude-code#79418`),
    (root) => !Object.keys(propertiesOf(root)).every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
  ),
]

const OPENAI: readonly Rule[] = [
  atRoot(
    '`type` of the root is `object`, without alternatives and options',
    seen(
      `"schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level", langchain-ai/langchainjs#9804`,
    ),
    (root) => root['type'] !== 'object' || has(root, 'oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'),
  ),
  atRoot('the root has properties', ofAgents('opencode, OMP'), (root) => !isNode(root['properties'])),
  everywhere(
    'lists say what is in them',
    seen(
      '"array schema missing items", also for one of several types and beside prefixItems: campfirein/byterover-cli#42, PrefectHQ/fastmcp#2464',
    ),
    (node) => typesOf(node).includes('array') && !isNode(node['items']) && node['items'] !== false,
  ),
  {
    says: 'no boolean for a property',
    ...ofAgents('Codex'),
    broken: (root) =>
      visit(root)
        .filter(({ node, keyword }) => keyword === 'properties' && typeof node === 'boolean')
        .map(({ path }) => path),
  },
  atRoot(
    'draft 2020-12',
    seen("messages of Python's jsonschema, such as \"True is not of type 'number'\"; pleaseai/shunt#488"),
    (root) => !isDraft2020(root),
  ),
  everywhere(
    'patterns without lookaround and properties of characters',
    seen(
      `"regex lookaround is not supported", anomalyco/opencode#32073; "is not a 'regex'", BerriAI/litellm#40485`,
    ),
    (node) => has(node, 'pattern') && !isPortablePattern(node['pattern']),
  ),
]

const STRICT_KEYWORDS = new Set(
  (
    'type properties required additionalProperties items anyOf enum const $ref $defs title description pattern format ' +
    'minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'
  ).split(' '),
)
const STRICT_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const OPENAI_DOCS = 'platform.openai.com/docs/guides/structured-outputs#supported-schemas'

const OPENAI_STRICT: readonly Rule[] = [
  {
    says: 'strict, as the package makes schemas strict',
    ...ofPackage('openai lib/transform, toStrictJsonSchema: has nothing to refuse, and nothing to change'),
    broken: (root) => {
      try {
        const strict = toStrictJsonSchema(root as Parameters<typeof toStrictJsonSchema>[0])
        return isDeepStrictEqual(strict, structuredClone(root)) ? [] : ['it would be changed']
      } catch (error) {
        return [String(error)]
      }
    },
  },
  everywhere('objects are closed', ofPackage('openai lib/transform, ensureStrictJsonSchema'), (node) =>
    typesOf(node).includes('object')
      ? node['additionalProperties'] !== false
      : has(node, 'additionalProperties'),
  ),
  everywhere(
    'all properties are required, and no others',
    ofPackage('openai lib/transform, ensureStrictJsonSchema; agents.md §19, OMP'),
    (node) => {
      const names = Object.keys(propertiesOf(node))
      return (
        names.length !== requiredOf(node).length || !names.every((name) => requiredOf(node).includes(name))
      )
    },
  ),
  everywhere(
    'only supported keywords',
    ofDocs(OPENAI_DOCS),
    (node) => !Object.keys(node).every((keyword) => STRICT_KEYWORDS.has(keyword)),
  ),
  everywhere(
    'oneOf is not permitted',
    seen('"\'oneOf\' is not permitted", openai v6.9.1 in ai-dynamo/dynamo#15153'),
    (node) => has(node, 'oneOf'),
  ),
  everywhere(
    'a $ref stands alone',
    seen(`"$ref cannot have keywords {'description'}", camel-ai/camel#3001`),
    (node) => has(node, '$ref') && Object.keys(node).length > 1,
  ),
  everywhere(
    'every schema has a type',
    seen(`"schema must have a 'type' key", OpenAI's API`),
    (node) => !has(node, 'type', 'anyOf', '$ref'),
  ),
  everywhere(
    'formats that are supported',
    seen(`"'uri' is not a valid format", can1357/oh-my-pi#206; the list: pydantic/pydantic-ai#2420`),
    (node) => has(node, 'format') && !STRICT_FORMATS.includes(String(node['format'])),
  ),
  everywhere(
    'patterns without lookaround',
    seen('"regex lookaround is not supported", vercel/ai#16021'),
    (node) => has(node, 'pattern') && !isPortablePattern(node['pattern']),
  ),
  atRoot('at most 5,000 properties, 1,000 options and 120,000 letters', ofDocs(OPENAI_DOCS), (root) => {
    const all = visit(root).filter(({ node }) => isNode(node)) as (Visited & { node: Node })[]
    const names = all.flatMap(({ node }) => [
      ...Object.keys(propertiesOf(node)),
      ...Object.keys((node['$defs'] ?? {}) as Node),
    ])
    const options = all.flatMap(({ node }) => (node['enum'] ?? []) as readonly unknown[])
    const letters = [...names, ...options].reduce<number>((sum, text) => sum + String(text).length, 0)
    const properties = all.reduce((sum, { node }) => sum + Object.keys(propertiesOf(node)).length, 0)
    return properties > 5000 || options.length > 1000 || letters > 120_000
  }),
  everywhere('an enum of more than 250 texts has at most 15,000 letters', ofDocs(OPENAI_DOCS), (node) => {
    const options = (node['enum'] ?? []) as readonly unknown[]
    return options.length > 250 && options.join('').length > 15_000
  }),
  atRoot('at most 10 levels of nesting', ofDocs(OPENAI_DOCS), (root) => levelsOf(root) > 10),
]

/** Objects within objects, also by reference, but not back to one that is around it. */
function levelsOf(node: unknown, root: unknown = node, around: readonly string[] = []): number {
  if (!isNode(node)) return 0
  const defs = (isNode(root) ? (root['$defs'] ?? {}) : {}) as Node
  const inner = (child: unknown): number => levelsOf(child, root, around)
  const ref = typeof node['$ref'] === 'string' ? node['$ref'].slice('#/$defs/'.length) : undefined
  if (ref !== undefined) return around.includes(ref) ? 0 : levelsOf(defs[ref], root, [...around, ref])
  const below = [...Object.values(propertiesOf(node)), node['items'], node['additionalProperties']].map(inner)
  const beside = ((node['anyOf'] ?? []) as readonly unknown[]).map(inner)
  const defined = node === root ? Object.values(defs).map(inner) : []
  const own = Math.max(0, ...below) + (typesOf(node).includes('object') ? 1 : 0)
  return Math.max(own, ...beside, ...defined)
}

/** The compiler holds this list to the fields of the package's type. */
const GEMINI_FIELDS: Readonly<Record<keyof Required<GeminiSchema>, true>> = {
  anyOf: true,
  default: true,
  description: true,
  enum: true,
  example: true,
  format: true,
  items: true,
  maxItems: true,
  maxLength: true,
  maxProperties: true,
  maximum: true,
  minItems: true,
  minLength: true,
  minProperties: true,
  minimum: true,
  nullable: true,
  pattern: true,
  properties: true,
  propertyOrdering: true,
  required: true,
  title: true,
  type: true,
}

const GEMINI_TYPES = Object.values(Type).filter(
  (type) => type !== Type.TYPE_UNSPECIFIED && type !== Type.NULL,
)
const GEMINI_FORMATS: Readonly<Record<string, readonly unknown[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}
const GENAI = '@google/genai dist/genai.d.ts, Schema'
const PROCESS = '@google/genai dist/node/index.mjs, processJsonSchema'

const GEMINI: readonly Rule[] = [
  atRoot(
    'the root is an object',
    ofPackage(`${GENAI}; comment on FunctionDeclaration.parameters`),
    (root) => root['type'] !== 'object',
  ),
  everywhere(
    'only fields of Schema',
    ofPackage(GENAI),
    (node) => !Object.keys(node).every((key) => Object.hasOwn(GEMINI_FIELDS, key)),
  ),
  everywhere(
    'one type, and not null',
    ofPackage(`${GENAI}: type?: Type; ${PROCESS} refuses null alone`),
    (node) =>
      has(node, 'type') && !(GEMINI_TYPES as readonly string[]).includes(String(node['type']).toUpperCase()),
  ),
  everywhere(
    'every schema has a type, or alternatives',
    seen('"schema didn\'t specify the schema type field", brightwave-inc/tidebreak#1537'),
    (node) => !has(node, 'type', 'anyOf'),
  ),
  everywhere(
    'type and anyOf cannot be both populated',
    ofPackage(PROCESS),
    (node) => has(node, 'type') && has(node, 'anyOf'),
  ),
  everywhere(
    'nothing beside anyOf',
    seen(
      '"schema specified other fields alongside any_of. When using any_of, it must be the only field set", anomalyco/opencode#14788',
    ),
    (node) => has(node, 'anyOf') && Object.keys(node).length > 1,
  ),
  everywhere(
    'anyOf is a list that is not empty',
    ofPackage(GENAI),
    (node) => has(node, 'anyOf') && !(Array.isArray(node['anyOf']) && node['anyOf'].length > 0),
  ),
  {
    says: 'every schema is an object',
    ...ofPackage(`${GENAI}: items?: Schema, anyOf?: Schema[], properties?: Record<string, Schema>`),
    broken: (root) =>
      visit(root)
        .filter(({ node }) => !isNode(node))
        .map(({ path }) => path),
  },
  everywhere(
    'options are texts that are not empty, of a text',
    seen(
      '"enum: only allowed for STRING type", decolua/9router#380; "enum[0]: cannot be empty", anomalyco/opencode#46676; Schema.enum?: string[]',
    ),
    (node) =>
      has(node, 'enum') &&
      !(
        node['type'] === 'string' &&
        ((node['enum'] ?? []) as readonly unknown[]).every((one) => typeof one === 'string' && one !== '')
      ),
  ),
  everywhere(
    'formats that are supported',
    seen(
      `"only 'enum' and 'date-time' are supported for STRING type", google-gemini/gemini-cli#3178; comment on Schema.format`,
    ),
    (node) => has(node, 'format') && GEMINI_FORMATS[String(node['type'])]?.includes(node['format']) !== true,
  ),
  everywhere(
    'properties and required only for objects',
    seen('"properties: only allowed for OBJECT type", anomalyco/opencode#11888'),
    (node) => has(node, 'properties', 'required') && node['type'] !== 'object',
  ),
  everywhere(
    'objects have properties',
    ofAgents('OMP'),
    (node) => node['type'] === 'object' && !isNode(node['properties']),
  ),
  everywhere(
    'items only for lists, and always',
    seen(
      '"items: missing field", fvclaus in kkrishnan90/gemini-desktop#7; "items: field predicate failed: $type == Type.ARRAY", anomalyco/opencode#49392',
    ),
    (node) => (node['type'] === 'array') !== isNode(node['items']),
  ),
  everywhere(
    'what is required is there',
    seen('"required[1]: property is not defined", Kilo-Org/kilocode#11955'),
    (node) => !requiredOf(node).every((name) => Object.hasOwn(propertiesOf(node), String(name))),
  ),
]

const WALLE =
  'github.com/MoonshotAI/walle, the validator Moonshot publishes: docs/walle.md and docs/validation-principles.md'
const MOONSHOT_TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']
const MOONSHOT_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['enum', 'minLength', 'maxLength', 'default'],
  number: ['enum', 'minimum', 'maximum', 'default'],
  integer: ['enum', 'minimum', 'maximum', 'default'],
  boolean: ['default'],
  null: [],
}
const WORDS = ['title', 'description']

const MOONSHOT: readonly Rule[] = [
  atRoot(
    'the root has the type object',
    seen(
      '"tools.function.parameters.type is required and must be \\"object\\"", 14790897/MiqroForge-Desktop#1165',
    ),
    (root) => root['type'] !== 'object',
  ),
  everywhere(
    'every schema has a type, alternatives or a reference',
    seen('"type is not defined", MoonshotAI/kimi-cli#1595; walle.md, structural errors'),
    (node) => !has(node, 'type', 'anyOf', '$ref'),
  ),
  everywhere(
    'types are the seven',
    ofDocs(WALLE),
    (node) => !typesOf(node).every((type) => MOONSHOT_TYPES.includes(String(type))),
  ),
  everywhere(
    'only words beside anyOf and $ref',
    seen(
      '"when using anyOf, type should be defined in anyOf items instead of the parent schema", MoonshotAI/kimi-cli#2531; walle.md',
    ),
    (node, { path }) => {
      const others = Object.keys(node).filter((keyword) => keyword !== 'anyOf' && keyword !== '$ref')
      const allowed = path === '' ? [...WORDS, '$defs', '$id'] : WORDS
      return (
        has(node, 'anyOf', '$ref') &&
        (has(node, 'anyOf') === has(node, '$ref') || !others.every((keyword) => allowed.includes(keyword)))
      )
    },
  ),
  everywhere(
    'a reference has no description that its target has too',
    seen('"conflicting keywords found after $ref expansion: description", MoonshotAI/kimi-cli#2061'),
    (node) => has(node, '$ref') && has(node, ...WORDS),
  ),
  {
    says: 'references lead to definitions at the root',
    ...seen('"references must start with #/$defs/", CommandCodeAI/command-code#594; walle.md'),
    broken: (root) =>
      visit(root)
        .filter(({ node }) => isNode(node) && has(node, '$ref'))
        .map(({ node }) => String((node as Node)['$ref']))
        .filter(
          (ref) =>
            ref !== '#' &&
            !(ref.startsWith('#/$defs/') && Object.hasOwn((root['$defs'] ?? {}) as Node, ref.slice(8))),
        ),
  },
  everywhere('definitions only at the root, without `/` in a name', ofDocs(WALLE), (node, { path }) => {
    const names = Object.keys((node['$defs'] ?? {}) as Node)
    return (
      has(node, 'definitions') ||
      (has(node, '$defs') && (path !== '' || names.some((name) => name === '' || name.includes('/'))))
    )
  }),
  everywhere(
    'no name with `/` inside of a definition',
    ofDocs('github.com/MoonshotAI/walle, keyword_validators.go, validateNoSlashInKeys'),
    (node, { path }) =>
      path.startsWith('/$defs/') && Object.keys(propertiesOf(node)).some((name) => name.includes('/')),
  ),
  everywhere('only keywords that belong to the type', ofDocs(WALLE), (node, { path }) => {
    if (!has(node, 'type')) return false
    const types = typesOf(node)
    const own = types.length === 1 ? (MOONSHOT_KEYWORDS[String(types[0])] ?? []) : []
    const allowed = ['type', ...WORDS, ...own, ...(path === '' ? ['$defs', '$id'] : [])]
    return !Object.keys(node).every((keyword) => allowed.includes(keyword))
  }),
  everywhere('oneOf and const are not known', ofAgents('OMP (Moonshot)'), (node) =>
    has(node, 'oneOf', 'const', 'allOf'),
  ),
  everywhere(
    'options have the type that is asked for',
    seen('"enum value (move) does not match any type in [object]"; walle.md, data type errors'),
    (node) =>
      has(node, 'enum') &&
      !(
        (node['enum'] as readonly unknown[]).length > 0 &&
        (node['enum'] as readonly unknown[]).every((one) =>
          node['type'] === 'integer'
            ? Number.isInteger(one)
            : typeof one === node['type'] && ['string', 'number'].includes(typeof one),
        )
      ),
  ),
  everywhere(
    'what is required is there',
    ofDocs(WALLE),
    (node) => !requiredOf(node).every((name) => Object.hasOwn(propertiesOf(node), String(name))),
  ),
  everywhere(
    'items is one schema',
    seen('agents.md §19, opencode ("Moonshot … tuple items"); "items must be an object", walle'),
    (node) => has(node, 'items') && !(isNode(node['items']) && Object.keys(node['items']).length > 0),
  ),
  {
    says: 'every schema is an object',
    ...ofDocs(WALLE),
    broken: (root) =>
      visit(root)
        .filter(
          ({ node, keyword }) =>
            !isNode(node) && !(keyword === 'additionalProperties' && typeof node === 'boolean'),
        )
        .map(({ path }) => path),
  },
  everywhere('no property is named as a keyword', ofDocs(WALLE), (node) =>
    Object.keys(propertiesOf(node)).some((name) =>
      ['$defs', '$ref', 'anyOf', 'required', 'additionalProperties'].includes(name),
    ),
  ),
  everywhere('bounds are whole, not negative, and in order', ofDocs(WALLE), (node) =>
    [
      ['minimum', 'maximum'],
      ['minLength', 'maxLength'],
      ['minItems', 'maxItems'],
    ].some(([low, high]) => {
      const bounds = [low!, high!].filter((keyword) => has(node, keyword)).map((keyword) => node[keyword])
      return (
        !bounds.every((one) => Number.isSafeInteger(one) && Number(one) >= 0) ||
        Number(bounds[0]) > Number(bounds[1])
      )
    }),
  ),
  everywhere(
    'a default is plain and of the type',
    ofDocs(WALLE),
    (node) =>
      has(node, 'default') &&
      !(node['type'] === 'integer'
        ? Number.isInteger(node['default'])
        : typeof node['default'] === node['type']),
  ),
  everywhere('numbers without an exponent', ofDocs(WALLE), (node) =>
    [node['default'], node['minimum'], node['maximum'], ...((node['enum'] ?? []) as readonly unknown[])].some(
      (one) => typeof one === 'number' && JSON.stringify(one).includes('e'),
    ),
  ),
  atRoot('recursion ends', ofDocs(WALLE), (root) => !hasEnd(root)),
  atRoot(
    'at most 120,000 letters, 3,000 properties, 30 levels',
    ofDocs(WALLE),
    (root) =>
      JSON.stringify(root).length > 120_000 ||
      visit(root).filter(({ keyword }) => keyword === 'properties').length > 3000 ||
      levelsOf(root) > 30,
  ),
  everywhere('at most 1,000 options and 500 alternatives', ofDocs(WALLE), (node) => {
    const options = (node['enum'] ?? []) as readonly unknown[]
    const isLong = options.length > 250 && options.join('').length > 7500
    return options.length > 1000 || isLong || ((node['anyOf'] ?? []) as readonly unknown[]).length > 500
  }),
]

/** Whether something finite satisfies every definition: tried with more and more steps, as many as there are definitions. */
function hasEnd(root: Node): boolean {
  const defs = (root['$defs'] ?? {}) as Node
  const ends = (node: unknown, steps: number): boolean => {
    if (!isNode(node)) return true
    if (node['$ref'] === '#') return steps > 0 && ends(root, steps - 1)
    if (typeof node['$ref'] === 'string') return steps > 0 && ends(defs[node['$ref'].slice(8)], steps - 1)
    if (Array.isArray(node['anyOf'])) return node['anyOf'].some((one) => ends(one, steps))
    if (Number(node['minItems'] ?? 0) > 0 && !ends(node['items'], steps)) return false
    return requiredOf(node).every((name) => ends(propertiesOf(node)[String(name)], steps))
  }
  // More would take too long to try, in a schema that was made for it.
  const steps = Math.min(Object.keys(defs).length + 1, 8)
  return [root, ...Object.values(defs)].every((node) => ends(node, steps))
}

export const RULES: Readonly<Record<Profile, readonly Rule[]>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  'openai-strict': OPENAI_STRICT,
  gemini: GEMINI,
  moonshot: MOONSHOT,
  none: [
    atRoot(
      'an object has properties',
      { source: 'DESIGN.md §8', known: 'documented' },
      (root) => root['type'] === 'object' && !isNode(root['properties']),
    ),
  ],
}
