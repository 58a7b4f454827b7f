/**
 * tells-changes: has notes to read, and tells those who subscribed when one changes, which the tool `touch` (`uri`) makes
 * it do. The tool `subscribed` names what it was asked to tell of, one per line. `note://secret` it never tells of: it
 * refuses (legacy) or leaves it out of what it agrees to (modern). `--once <file>`: it makes the file, and where there is
 * one already it tells of nothing. The tool `hang-up` ends every stream (modern).
 */
import { existsSync, writeFileSync } from 'node:fs'
import { Fault, hasFlag, send, serve, SUBSCRIPTION, text, TOOLS } from './speak.mjs'

const UPDATED = 'notifications/resources/updated'
const SECRET = 'note://secret'
const NOTES = ['note://one', 'note://two', SECRET]
const INSTRUCTIONS = 'Read a note before you change it.'

const file = process.argv[process.argv.indexOf('--once') + 1]
const isStubborn = hasFlag('once') && existsSync(file)
if (hasFlag('once')) writeFileSync(file, '')

/** Asked for one by one, in the old era. */
const subscribed = new Set()
/** By the id of the request that listens: what it listens to, and how to end it. */
const listeners = new Map()

function touch({ uri }) {
  if (subscribed.has(uri)) send({ method: UPDATED, params: { uri } })
  for (const [id, { uris }] of listeners) {
    if (uris.includes(uri)) send({ method: UPDATED, params: { uri, _meta: { [SUBSCRIPTION]: id } } })
  }
  return text('touched')
}

function subscribe({ uri }) {
  if (isStubborn || uri === SECRET) throw new Fault(-32602, `nobody is told of ${uri}`)
  subscribed.add(uri)
  return {}
}

function unsubscribe({ uri }) {
  subscribed.delete(uri)
  return {}
}

function listen({ notifications: { resourceSubscriptions = [] } }, { id, signal }) {
  const uris = resourceSubscriptions.filter((uri) => !isStubborn && uri !== SECRET)
  send({
    method: 'notifications/subscriptions/acknowledged',
    params: {
      _meta: { [SUBSCRIPTION]: id },
      notifications: uris.length === 0 ? {} : { resourceSubscriptions: uris },
    },
  })
  // The request stays open for as long as the client listens.
  return new Promise((resolve, reject) => {
    const over = (settle) => () => {
      listeners.delete(id)
      settle()
    }
    listeners.set(id, { uris, end: over(() => resolve({ _meta: { [SUBSCRIPTION]: id } })) })
    signal.addEventListener(
      'abort',
      over(() => reject(signal.reason)),
    )
  })
}

function hangUp() {
  for (const { end } of listeners.values()) end()
  return text('hung up')
}

const asked = () => [...subscribed, ...[...listeners.values()].flatMap(({ uris }) => uris)]

const tool = (name, call, properties = {}) => ({
  name,
  inputSchema: { type: 'object', properties },
  call,
})

serve({
  tools: [
    ...TOOLS,
    tool('touch', touch, { uri: { type: 'string' } }),
    tool('subscribed', () => text(asked().join('\n'))),
    tool('hang-up', hangUp),
  ],
  capabilities: { tools: {}, resources: { subscribe: true } },
  instructions: INSTRUCTIONS,
  methods: {
    'resources/list': () => ({ resources: NOTES.map((uri) => ({ uri, name: uri.slice(7) })) }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: `this is ${uri}` }] }),
    ...(hasFlag('modern')
      ? { 'subscriptions/listen': listen }
      : { 'resources/subscribe': subscribe, 'resources/unsubscribe': unsubscribe }),
  },
})
