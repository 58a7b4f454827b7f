/**
 * changes-tools: the tool `grow` adds a tool (`grown_1`, `grown_2` …) and says that the list changed: to everyone in the
 * old era, to those who asked with `subscriptions/listen` in the modern one.
 */
import { hasFlag, send, serve, SUBSCRIPTION, text, TOOLS } from './speak.mjs'

const CHANGED = 'notifications/tools/list_changed'

/** Ids of the requests that listen. */
const listeners = new Set()
let grown = 0

const tools = [
  ...TOOLS,
  { name: 'grow', description: 'Adds a tool.', inputSchema: { type: 'object' }, call: grow },
]

function grow(_, { isModern }) {
  grown++
  const name = `grown_${grown}`
  tools.push({ name, inputSchema: { type: 'object' }, call: () => text(`this is ${name}`) })
  if (!isModern) send({ method: CHANGED })
  for (const id of listeners) send({ method: CHANGED, params: { _meta: { [SUBSCRIPTION]: id } } })
  return text(name)
}

function listen({ notifications = {} }, { id, signal }) {
  const isWanted = notifications.toolsListChanged === true
  if (isWanted) listeners.add(id)
  signal.addEventListener('abort', () => listeners.delete(id))
  const granted = isWanted ? { toolsListChanged: true } : {}
  send({
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { [SUBSCRIPTION]: id }, notifications: granted },
  })
  // The request stays open for as long as the client listens.
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

serve({
  tools,
  capabilities: { tools: { listChanged: true } },
  methods: hasFlag('modern') ? { 'subscriptions/listen': listen } : {},
})
