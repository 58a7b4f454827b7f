/**
 * rich: has one of everything that the protocol knows, with fields that it does not know, so that whoever stands between
 * it and a client can be seen to lose something. Lists come in pages of two.
 *
 * Tools: `contents` (every kind of content, and one that nobody knows), `fails`, `refuses`, `meta` (the `_meta` that came
 * with it), `work` (progress), `log`, `hang` (says that it has begun) and `hung` (how many of those were cancelled), `ask` (`only`: which
 * questions; in the modern era in two rounds), `take-back` (takes its question back; old era alone), `grow` (more of
 * everything, and says so), `touch` (`uri`). `--says-level`: logs when it is told how much to log, which is part of no
 * call. `--changes-early`: has one
 * more tool, `early`, and says so, while its tools are read for the first time.
 */
import { Fault, hasFlag, send, serve, SUBSCRIPTION, text, TOOLS, wait } from './speak.mjs'

const isModern = hasFlag('modern')
const ICONS = [
  { src: 'data:image/png;base64,AA==', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark', 'x-glow': 1 },
]
const META = { 'example.test/mark': { deep: [1, null, 'ä'] } }
const UNKNOWN = { 'x-vendor': { kept: true } }
const MENU = 'rich://menu'

let extra = 0
let hung = 0
const grown = (name) => Array.from({ length: extra }, (_, at) => ({ name: `${name}_${at + 1}` }))

const CONTENTS = {
  content: [
    {
      type: 'text',
      text: 'ünïcode \u2028 and "quotes"',
      annotations: { audience: ['user'], priority: 0.3, 'x-more': 1 },
      _meta: META,
    },
    {
      type: 'image',
      data: 'iVBORw0KGgo=',
      mimeType: 'image/png',
      annotations: { lastModified: '2026-01-01T00:00:00Z' },
    },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav', ...UNKNOWN },
    {
      type: 'resource_link',
      uri: MENU,
      name: 'menu',
      title: 'Menu',
      description: 'd',
      mimeType: 'text/plain',
      size: 4,
      icons: ICONS,
    },
    { type: 'resource', resource: { uri: MENU, mimeType: 'text/plain', text: 'soup', _meta: META } },
    {
      type: 'resource',
      resource: { uri: 'rich://picture', mimeType: 'image/png', blob: 'iVBORw0KGgo=', ...UNKNOWN },
    },
    { type: 'hologram', beam: { angle: 1e21, on: false }, nothing: null },
  ],
  structuredContent: { degrees: 21.5, list: [1, { two: null }], ...UNKNOWN },
  _meta: META,
  ...UNKNOWN,
}

const QUESTIONS = {
  form: {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', 'x-hint': 'first' },
          when: { type: 'string', format: 'date' },
        },
        required: ['name'],
      },
      _meta: META,
    },
  },
  url: {
    method: 'elicitation/create',
    params: {
      mode: 'url',
      message: 'Sign here',
      url: 'https://sign.example.test/1?a=b',
      elicitationId: 'e-1',
    },
  },
  sample: {
    method: 'sampling/createMessage',
    params: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image', data: 'AA==', mimeType: 'image/png' },
          ],
        },
      ],
      modelPreferences: { hints: [{ name: 'small' }], speedPriority: 0.9 },
      systemPrompt: 'Be brief.',
      maxTokens: 7,
      metadata: { trace: 'x' },
    },
  },
  roots: { method: 'roots/list', params: {} },
}

const waiting = new Map()
let count = 0

function ask(question) {
  const id = `question-${++count}`
  const answer = new Promise((resolve) => waiting.set(id, resolve))
  send({ id, ...question })
  return { id, answer }
}

async function askNow(only) {
  const answers = []
  for (const name of only) {
    const { result, error } = await ask(QUESTIONS[name]).answer
    answers.push([name, result ?? { error }])
  }
  return text(JSON.stringify(Object.fromEntries(answers)))
}

/** Every question is a round of its own; what was answered before travels in the note to itself. */
function askInRounds(only, { inputResponses, requestState }) {
  const before = requestState === undefined ? [] : JSON.parse(requestState)
  const all = [...before, ...Object.entries(inputResponses ?? {})]
  const next = only[all.length]
  if (next === undefined) return text(JSON.stringify(Object.fromEntries(all)))
  return {
    resultType: 'input_required',
    inputRequests: { [next]: QUESTIONS[next] },
    requestState: JSON.stringify(all),
    _meta: META,
  }
}

async function takeBack() {
  // In one piece: an answer that was on its way before the word came would be one.
  process.stdout.cork()
  const { id, answer } = ask(QUESTIONS.form)
  send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'found it' } })
  process.stdout.uncork()
  return text(await Promise.race([answer.then(() => 'answered'), wait(300).then(() => 'no answer')]))
}

/** Ids of requests that listen, and what to. */
const listeners = new Map()
const subscribed = new Set()

function tell(kind, method, params = {}) {
  if (!isModern) send({ method, params })
  for (const [id, wanted] of listeners)
    if (wanted[kind] === true) send({ method, params: { ...params, _meta: { [SUBSCRIPTION]: id } } })
}

function grow() {
  extra++
  BUILT.push(tool(`tool_${extra}`, () => text('grown')))
  for (const list of ['tools', 'resources', 'prompts'])
    tell(`${list}ListChanged`, `notifications/${list}/list_changed`)
  return text('grown')
}

function touch({ uri }) {
  const method = 'notifications/resources/updated'
  if (subscribed.has(uri)) send({ method, params: { uri } })
  for (const [id, { resourceSubscriptions = [] }] of listeners)
    if (resourceSubscriptions.includes(uri)) send({ method, params: { uri, _meta: { [SUBSCRIPTION]: id } } })
  return text('touched')
}

function listen({ notifications }, { id, signal }) {
  listeners.set(id, notifications)
  send({
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { [SUBSCRIPTION]: id }, notifications },
  })
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => {
      listeners.delete(id)
      reject(signal.reason)
    }),
  )
}

const metaOf = ({ _meta: meta = {} }) => meta

async function work(_, { params }) {
  const { progressToken } = metaOf(params)
  for (const progress of [0.5, 1, 2])
    if (progressToken !== undefined)
      send({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 2, message: `step ${progress}`, ...UNKNOWN },
      })
  return text('worked')
}

let level = 'emergency'

function log(_, { params }) {
  const wanted = isModern ? metaOf(params)['io.modelcontextprotocol/logLevel'] : level
  if (wanted === 'debug')
    send({
      method: 'notifications/message',
      params: { level: 'debug', logger: 'kitchen', data: { pots: [1, 2] }, ...UNKNOWN },
    })
  return text('logged')
}

function hang(_, { params, signal }) {
  const { progressToken } = metaOf(params)
  if (progressToken !== undefined)
    send({ method: 'notifications/progress', params: { progressToken, progress: 0 } })
  return new Promise((_resolve, reject) =>
    signal.addEventListener('abort', () => {
      hung++
      reject(signal.reason)
    }),
  )
}

const refuse = () => {
  throw new Fault(-31999, 'refused', { why: ['a', 1], when: null })
}

const ownMeta = (params) =>
  Object.fromEntries(
    Object.entries(metaOf(params)).filter(
      ([key]) => !key.startsWith('io.modelcontextprotocol/') && key !== 'progressToken',
    ),
  )

const tool = (name, call, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more, call })

const BUILT = [
  ...TOOLS,
  tool('contents', () => CONTENTS, {
    title: 'Contents',
    description: 'One of each.\n\nTwo lines.',
    icons: ICONS,
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { word: { type: 'string', minLength: 1 } },
      properties: { word: { $ref: '#/$defs/word' }, 'x y': { type: ['integer', 'null'], default: null } },
      additionalProperties: false,
      'x-order': ['word'],
    },
    outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
    annotations: {
      title: 'Old title',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      'x-hint': 2,
    },
    execution: { taskSupport: 'forbidden' },
    _meta: META,
    ...UNKNOWN,
  }),
  tool('fails', () => ({
    ...text('it went wrong'),
    isError: true,
    structuredContent: { code: 7 },
    _meta: META,
  })),
  tool('refuses', refuse),
  tool('meta', (_, { params }) => text(JSON.stringify(ownMeta(params)))),
  tool('work', work),
  tool('log', log),
  tool('hang', hang),
  tool('hung', () => text(String(hung))),
  tool('ask', ({ only }, { params }) => (isModern ? askInRounds(only, params) : askNow(only))),
  tool('take-back', takeBack),
  tool('grow', grow),
  tool('touch', touch),
]

const RESOURCES = [
  {
    uri: MENU,
    name: 'menu',
    title: 'Menu',
    description: 'd',
    mimeType: 'text/plain',
    size: 4,
    icons: ICONS,
    annotations: { audience: ['assistant'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
    _meta: META,
    ...UNKNOWN,
  },
  { uri: 'rich://picture', name: 'picture' },
  { uri: 'rich://third', name: 'third' },
]

const PROMPTS = [
  {
    name: 'greet',
    title: 'Greet',
    description: 'Greets.',
    icons: ICONS,
    arguments: [{ name: 'who', title: 'Who', description: 'd', required: true, ...UNKNOWN }],
    _meta: META,
    ...UNKNOWN,
  },
  { name: 'leave' },
  { name: 'stay' },
]

/** How long a list may be kept, by what is listed. */
const HINTS = {
  tools: { ttlMs: 120_000, cacheScope: 'public' },
  resources: { ttlMs: 5000, cacheScope: 'private' },
  resourceTemplates: {},
  prompts: { ttlMs: 0, cacheScope: 'private' },
}

const PAGE = 2
const page =
  (key, all) =>
  ({ cursor }) => {
    const from = Number(cursor ?? 0)
    const next = from + PAGE
    const items = all()
    return {
      [key]: items.slice(from, next),
      ...(next < items.length ? { nextCursor: String(next) } : {}),
      ...(isModern ? HINTS[key] : {}),
    }
  }

function read({ uri }) {
  if (uri === MENU)
    return {
      contents: [
        { uri, mimeType: 'text/plain', text: 'soup', _meta: META, ...UNKNOWN },
        { uri: `${uri}/1`, mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
      ],
      _meta: META,
      ...UNKNOWN,
      ...(isModern ? { ttlMs: 1234, cacheScope: 'public' } : {}),
    }
  if (uri.startsWith('rich://dish/'))
    return { contents: [{ uri, text: uri }], ...(isModern ? { ttlMs: 0, cacheScope: 'private' } : {}) }
  throw new Fault(isModern ? -32602 : -32002, 'Resource not found', { uri })
}

function getPrompt({ name, arguments: args }) {
  const content = {
    type: 'text',
    text: `${name} ${JSON.stringify(args)}`,
    annotations: { priority: 1 },
    ...UNKNOWN,
  }
  return {
    description: 'Greets.',
    messages: [
      { role: 'user', content },
      { role: 'assistant', content: CONTENTS.content[6] },
    ],
    _meta: META,
    ...UNKNOWN,
  }
}

const pageOfTools = page('tools', () => BUILT)
const pageOfPrompts = page('prompts', () => [...PROMPTS, ...grown('prompt')])
let changesEarly = hasFlag('changes-early')
/** Of the first reading: lists whose last page was not sent yet, where a second reading waits for them. */
const unread = new Set(changesEarly ? ['tools', 'prompts'] : [])
let tellRead = () => undefined
const onceRead = changesEarly ? new Promise((resolve) => (tellRead = resolve)) : Promise.resolve()

function noteRead(name, listed) {
  if (listed.nextCursor === undefined) unread.delete(name)
  // Behind the answer.
  if (unread.size === 0) setTimeout(tellRead, 50)
  return listed
}

async function listTools(params, how) {
  if (changesEarly) {
    changesEarly = false
    send({ method: 'notifications/tools/list_changed' })
  } else if (params.cursor === undefined) {
    await onceRead
    if (hasFlag('changes-early'))
      BUILT.push({ name: 'early', inputSchema: { type: 'object' }, call: () => text('early') })
  }
  return noteRead('tools', pageOfTools(params, how))
}

function listPrompts(params, how) {
  return noteRead('prompts', pageOfPrompts(params, how))
}

serve({
  tools: BUILT,
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  },
  instructions: 'Taste first.\n\nThen ask.',
  before(message) {
    if (message.method !== undefined) return false
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
    return true
  },
  methods: {
    'tools/list': listTools,
    'resources/list': page('resources', () => [
      ...RESOURCES,
      ...grown('resource').map(({ name }) => ({ uri: `rich://${name}`, name })),
    ]),
    'resources/templates/list': page('resourceTemplates', () => [
      {
        uriTemplate: 'rich://dish/{name}',
        name: 'dish',
        title: 'Dish',
        mimeType: 'text/plain',
        icons: ICONS,
        annotations: { priority: 0 },
        _meta: META,
        ...UNKNOWN,
      },
    ]),
    'resources/read': read,
    'prompts/list': listPrompts,
    'prompts/get': getPrompt,
    'completion/complete': ({ ref, argument, context }) => ({
      completion: { values: [JSON.stringify([ref.type, argument, context])], total: 9, hasMore: true },
      _meta: META,
      ...UNKNOWN,
    }),
    ...(isModern
      ? { 'subscriptions/listen': listen }
      : {
          'resources/subscribe': ({ uri }) => (subscribed.add(uri), {}),
          'resources/unsubscribe': ({ uri }) => (subscribed.delete(uri), {}),
          'logging/setLevel': (params) => {
            level = params.level
            if (hasFlag('says-level'))
              send({ method: 'notifications/message', params: { level, data: 'heard' } })
            return {}
          },
        }),
  },
})
