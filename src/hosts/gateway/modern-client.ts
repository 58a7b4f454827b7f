/**
 * modern-client: one request of 2026-07-28, which carries everything the gateway knows of its client.
 *
 * in     the request, and the stream for its answer and for messages that belong to it
 * out    the result; for `subscriptions/listen`, notifications until it ends
 * never  sends a request of its own; sends a log that the client did not ask for
 */
import type { Signal } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import type { Params, RequestId, Result } from '../../model/message.ts'
import { MODERN_VERSION } from '../../model/session.ts'
import type { ToolCaller } from './caller.ts'
import { META, readEnvelope, toEra } from './era.ts'
import type { GatewayEvent } from './events.ts'
import { invalid } from './fault.ts'
import type { Gateway } from './gateway.ts'
import { toNotification, type RequestMessage, type SendMessage } from './legacy-client.ts'
import { isDismissed, type Principal } from './principal.ts'
import type { RequestRecord } from './sighting.ts'
import { Subscriber } from './subscriber.ts'
import type { View } from './view.ts'

export interface ModernSender {
  readonly view: View
  readonly principal: Principal
  /** The same for all requests of one client, where the gateway can recognize the client. */
  readonly client: object
  /** As `Caller.instance`. */
  readonly instance?: object | undefined
  readonly desk: ToolCaller
  readonly sighting?: RequestRecord | undefined
  readonly send: SendMessage
  readonly signal: Signal
}

/** Rejects with an RpcFaultError. */
export async function answerModern(
  gateway: Gateway,
  { id, method, params = {} }: RequestMessage,
  sender: ModernSender,
): Promise<Result> {
  const { capabilities, info, logLevel } = readEnvelope(params)
  const { view, client, instance, desk, send, signal, sighting } = sender
  if (method === 'server/discover') return discover(view)
  if (method === 'subscriptions/listen') return listen(gateway, { id, params }, sender)
  const result = await gateway.request(view, {
    method,
    params,
    signal,
    caller: {
      era: 'modern',
      client,
      instance,
      info,
      knowsLinks: true,
      capabilities,
      logLevel,
      desk,
      sighting,
      notify: (name, about) => send({ jsonrpc: '2.0', method: name, params: about }),
    },
  })
  if (result['resultType'] === 'input_required') sighting?.asked()
  return result
}

async function discover(view: View): Promise<Result> {
  await view.ready()
  const { capabilities, serverInfo, instructions } = view.hello()
  return toEra('modern', 'server/discover', {
    supportedVersions: [MODERN_VERSION],
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    _meta: { [META.serverInfo]: serverInfo },
  })
}

/** Runs until the client cancels it. */
async function listen(
  gateway: Gateway,
  { id, params }: { readonly id: RequestId; readonly params: Params },
  { view, principal, instance, send, signal }: ModernSender,
): Promise<Result> {
  const { notifications } = params
  if (!isObject(notifications)) throw invalid('`notifications` must say what to tell of')
  await view.ready()
  const subscriber = new Subscriber(gateway, () => view, instance)
  const tell = (method: string, about: Params = {}): void => {
    const meta = { ...(isObject(about['_meta']) ? about['_meta'] : {}), [META.subscription]: id }
    send({ jsonrpc: '2.0', method, params: { ...about, _meta: meta } })
  }
  try {
    const honored = await honor(view, notifications, { subscriber, signal })
    tell('notifications/subscriptions/acknowledged', { notifications: honored })
    if (Object.keys(honored).length > 0) {
      await untilOver(gateway, { view, principal, instance, signal }, (event) => {
        if (!isWanted(event, honored, subscriber)) return
        const { method, params: about } = toNotification(event)
        tell(method, about)
      })
    }
    return {
      resultType: 'complete',
      _meta: { [META.subscription]: id, [META.serverInfo]: view.hello().serverInfo },
    }
  } finally {
    subscriber.close()
  }
}

/** The part of the wanted notifications that the server can send. */
async function honor(
  view: View,
  wanted: Params,
  { subscriber, signal }: { readonly subscriber: Subscriber; readonly signal: Signal },
): Promise<Params> {
  const capabilities = view.capabilities()
  const changes = (key: string): boolean => {
    const capability = capabilities[key]
    return isObject(capability) && capability['listChanged'] === true
  }
  const { resources } = capabilities
  const canSubscribe = isObject(resources) && resources['subscribe'] === true
  const asked =
    canSubscribe && Array.isArray(wanted['resourceSubscriptions']) ? wanted['resourceSubscriptions'] : []
  const uris = asked.filter((uri): uri is string => typeof uri === 'string')
  const added = await Promise.allSettled(uris.map((uri) => subscriber.add(uri, signal)))
  // The answer omits what a server refuses. That is how the client learns of the refusal.
  const granted = uris.filter((_, i) => {
    const one = added[i]!
    return one.status === 'fulfilled' && one.value
  })
  return {
    ...(wanted['toolsListChanged'] === true && changes('tools') ? { toolsListChanged: true } : {}),
    ...(wanted['promptsListChanged'] === true && changes('prompts') ? { promptsListChanged: true } : {}),
    ...(wanted['resourcesListChanged'] === true && changes('resources')
      ? { resourcesListChanged: true }
      : {}),
    ...(granted.length === 0 ? {} : { resourceSubscriptions: granted }),
  }
}

function isWanted(event: GatewayEvent, honored: Params, subscriber: Subscriber): boolean {
  if (event.kind === 'list') return honored[`${event.list}ListChanged`] === true
  return event.kind === 'resource' && subscriber.wants(event.uri)
}

function untilOver(
  gateway: Gateway,
  { view, principal, instance, signal }: Pick<ModernSender, 'view' | 'principal' | 'instance' | 'signal'>,
  hear: (event: GatewayEvent) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = gateway.events.listen({
      server: view.server,
      holder: principal.key,
      client: instance,
      hear,
      onClose: () => end(),
    })
    const end = (): void => {
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    // The principal may have lost its access before this listener was registered.
    if (signal.aborted || isDismissed(principal)) end()
    signal.addEventListener('abort', end, { once: true })
  })
}
