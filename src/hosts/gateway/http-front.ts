/**
 * http-front: the gateway over Streamable HTTP, for clients of both eras at the same endpoint.
 *
 * in     requests that the door accepted
 * out    answers; for each legacy client a session, which the client ends or which expires when the client is silent
 *        for long
 * never  keeps the session of a client that is gone; treats the end of a legacy client's connection as a cancellation
 */
import { Abort } from '../../base/abort.ts'
import { isObject } from '../../base/is-object.ts'
import { fromHeaderValue } from '../../model/header-value.ts'
import { RPC_CODES, type Params, type RpcRequest } from '../../model/message.ts'
import { MODERN_VERSION } from '../../model/session.ts'
import { headersOfCall } from '../../runtime/header-arguments.ts'
import type { Admission, Reply, RequestHandler, RequestHead, WholeReply } from '../../world/world.ts'
import { ClientLoopGuards } from './client-desks.ts'
import { StatelessClients } from './client-identity.ts'
import { say, TAKEN_BACK, textOf, type RequestGuard, type GuardVerdict, type Target } from './door.ts'
import { eraOf, META, metaOf } from './era.ts'
import { FrontFault, statusOf, toFault } from './fault.ts'
import type { Gateway } from './gateway.ts'
import { Heartbeats } from './heartbeats.ts'
import { ENDED, OpenAnswers } from './open-answers.ts'
import { HttpAnswer } from './http-answer.ts'
import {
  ACCEPTED,
  LEAVING,
  NEEDS_SESSION,
  ONLY_POST,
  refused,
  takesEvents,
  UNKNOWN_SESSION,
} from './http-replies.ts'
import { HttpSessions } from './http-sessions.ts'
import { nameOfClient } from './legacy-client.ts'
import { readMessage } from './message-text.ts'
import { answerModern } from './modern-client.ts'
import { isDismissed, type Principal } from './principal.ts'
import type { ProjectGateways } from './project-rooms.ts'
import type { RequestRecord } from './sighting.ts'
import type { View } from './view.ts'

export interface HttpFront extends RequestHandler {
  /** Starts nothing new, and tells listeners that the gateway closes. Running requests continue. */
  drain(): void
  /** Ends the sessions and streams of a principal that has lost its access, by its key. Running calls finish. */
  dismiss(principal: string, project: string | undefined): void
  /** Gives up running requests, and tells their clients. */
  close(): void
}

/** Answers requests outside MCP. */
export type Counter = (target: Exclude<Target, { kind: 'mcp' }>, sessions: number) => WholeReply

export interface FrontOptions {
  readonly door: RequestGuard
  readonly counter: Counter
  readonly rooms: Pick<ProjectGateways, 'of' | 'find'>
}

export function createHttpFront(gateway: Gateway, { door, counter, rooms }: FrontOptions): HttpFront {
  const { clock } = gateway.world
  const heartbeats = new Heartbeats(clock)
  const answers = new OpenAnswers()
  const sessions = new HttpSessions(heartbeats, answers)
  const clients = new StatelessClients(clock)
  const desks = new ClientLoopGuards(clock)
  const state = { isDraining: false }
  const enter = (passage: GuardVerdict, head: RequestHead): Admission | Promise<Admission> => {
    if (passage.kind === 'refused') return passage
    const { project } = passage.principal
    if (project === undefined) return admit(passage, head, gateway)
    return rooms.of(project).then(
      (own) => admit(passage, head, own),
      () => ({ kind: 'refused', reply: UNSERVED }),
    )
  }
  const admit = (
    { target, principal }: Extract<GuardVerdict, { kind: 'passed' }>,
    head: RequestHead,
    whole: Gateway,
  ): Admission => {
    return {
      kind: 'admitted',
      client: readerOf(principal, head),
      take(body, reply, bytes) {
        // The body may have arrived long after the head.
        if (isDismissed(principal)) return reply.send(TAKEN_BACK)
        if (target.kind !== 'mcp') return reply.send(counter(target, sessions.size))
        const mine = whole.for(principal)
        const view = mine.viewOf(target.server)
        if (view === undefined) return reply.send(say(404, 'There is no server of this name.'))
        const known = { sessions, clients, desks, heartbeats, answers, state }
        serve({ gateway: mine, principal, view, head, reply, bytes, ...known }, body)
      },
    }
  }
  return {
    admit(head) {
      const passage = door.pass(head)
      return passage instanceof Promise ? passage.then((one) => enter(one, head)) : enter(passage, head)
    },
    drain() {
      state.isDraining = true
      sessions.endStreams()
    },
    dismiss(principal, project) {
      sessions.dismiss(principal)
      clients.dismiss(principal)
      const serving = project === undefined ? Promise.resolve(gateway) : rooms.find(project)
      void serving?.then(
        (own) => own.dismiss(principal),
        () => undefined, // it never served a request
      )
    },
    close() {
      // What is aborted below is answered before.
      answers.giveUp()
      sessions.close()
      clients.close()
      heartbeats.close()
    },
  }
}

/** The reader of a body that was not read yet: by its session, otherwise by address and `User-Agent`. */
function readerOf({ key }: Principal, { headers, from }: RequestHead): string {
  const session = textOf(headers['mcp-session-id'])
  return JSON.stringify([key, session ?? [from, textOf(headers['user-agent'])]])
}

const UNSERVED = say(503, 'The project of this token cannot be served now.')

interface Exchange {
  readonly gateway: Gateway
  readonly principal: Principal
  readonly sessions: HttpSessions
  /** Clients without a session. */
  readonly clients: StatelessClients
  readonly desks: ClientLoopGuards
  readonly heartbeats: Heartbeats
  readonly answers: OpenAnswers
  readonly view: View
  readonly head: RequestHead
  readonly reply: Reply
  /** Size of the body. */
  readonly bytes: number
  readonly state: { readonly isDraining: boolean }
}

function serve(exchange: Exchange, body: string): void {
  const { head, reply, sessions } = exchange
  const sessionId = textOf(head.headers['mcp-session-id'])
  switch (head.method) {
    case 'POST':
      return post(exchange, body, sessionId)
    case 'GET':
      if (sessionId === undefined) return reply.send(ONLY_POST)
      return sessions.openStream(sessionId, exchange)
    case 'DELETE':
      if (sessionId === undefined) return reply.send(ONLY_POST)
      return reply.send(
        sessions.end(sessionId, exchange) ? { status: 200, headers: {}, body: '' } : UNKNOWN_SESSION,
      )
    default:
      return reply.send(ONLY_POST)
  }
}

function post(exchange: Exchange, body: string, sessionId: string | undefined): void {
  const { head, reply, sessions, state } = exchange
  if (!/^application\/json\b/i.test(textOf(head.headers['content-type']) ?? ''))
    return reply.send(say(415, 'A body of type application/json is expected.'))
  const read = readMessage(body, 'body')
  if (read.kind === 'refused') return reply.send(refused(read.answer))
  const { message } = read
  if (state.isDraining && 'method' in message && 'id' in message) return reply.send(LEAVING)
  const params = 'method' in message ? message.params : undefined
  const version = textOf(head.headers['mcp-protocol-version'])
  if (eraOf(params, version) === 'modern') {
    if ('method' in message && 'id' in message) void answer(exchange, message)
    else reply.send(ACCEPTED)
    return
  }
  const isGreeting = 'method' in message && message.method === 'initialize' && 'id' in message
  if (isGreeting) return sessions.greet(message, exchange)
  if (sessionId === undefined) return reply.send(NEEDS_SESSION)
  sessions.take(sessionId, message, exchange)
}

/** One request of 2026-07-28. The end of its connection cancels it. */
async function answer(exchange: Exchange, message: RpcRequest): Promise<void> {
  const { gateway, principal, clients, desks, heartbeats, answers, view, head, reply } = exchange
  const { id } = message
  const { client, leave } = meet(exchange, message)
  const sighting = see(exchange, message)
  const out = new HttpAnswer(reply, { heartbeats, canStream: takesEvents(head) })
  const wanted = new Abort()
  reply.onGone(() => {
    out.abandon()
    sighting?.aborted()
    wanted.abort()
  })
  const number = answers.add({
    giveUp() {
      // The gateway itself ends a stream of changes.
      if (sighting !== undefined) out.finish({ jsonrpc: '2.0', id, error: ENDED }, 200)
      sighting?.aborted()
      wanted.abort()
    },
  })
  try {
    checkHeaders(head, message)
    checkArguments(head, message, { gateway, view })
    const result = await answerModern(gateway, message, {
      view,
      principal,
      client: wanted,
      instance: client,
      desk: desks.of(client, gateway),
      send: (told) => out.tell(told),
      signal: wanted,
      sighting,
    })
    out.finish({ jsonrpc: '2.0', id, result }, 200)
  } catch (error) {
    sighting?.failed(error)
    out.finish({ jsonrpc: '2.0', id, error: toFault(error).fault }, statusOf(error))
  }
  answers.remove(number)
  leave()
  // This may have been the last answer that the client waited for.
  if (isDismissed(principal)) clients.dismiss(principal.key)
  sighting?.end(reply.bytes())
}

function meet(
  { clients, principal, view, head }: Exchange,
  { params }: RpcRequest,
): ReturnType<StatelessClients['meet']> {
  const info = metaOf(params)[META.info]
  return clients.meet({
    principal,
    from: head.from,
    agent: textOf(head.headers['user-agent']),
    server: view.server,
    info: isObject(info) ? info : undefined,
  })
}

/** A client that only listens has no running request. */
function see(
  { gateway, principal, head, bytes }: Exchange,
  { method, params = {} }: RpcRequest,
): RequestRecord | undefined {
  if (method === 'subscriptions/listen') return undefined
  const client = nameOfClient(metaOf(params)[META.info])
  return gateway.seeing.begin({
    principal,
    era: 'modern',
    method,
    params,
    client,
    bytes,
    headers: head.headers,
  })
}

/** The headers that proxies read must match the body. */
function checkHeaders({ headers }: RequestHead, { method, params = {} }: RpcRequest): void {
  const claimed = metaOf(params)[META.version]
  const version = textOf(headers['mcp-protocol-version'])
  if (version === undefined || (typeof claimed === 'string' && claimed !== version))
    throw mismatch('MCP-Protocol-Version', version, String(claimed ?? MODERN_VERSION))
  const said = textOf(headers['mcp-method'])
  if (said !== method) throw mismatch('Mcp-Method', said, method)
  const name = nameIn(method, params)
  const given = textOf(headers['mcp-name'])?.trim()
  const decoded = given === undefined ? undefined : fromHeaderValue(given)
  if (name !== undefined && decoded !== name) throw mismatch('Mcp-Name', given, name)
}

/** As `checkHeaders`, for arguments that a tool wants in headers too. */
function checkArguments(
  { headers }: RequestHead,
  { method, params = {} }: RpcRequest,
  { gateway, view }: Pick<Exchange, 'gateway' | 'view'>,
): void {
  const found = method === 'tools/call' ? view.findTool(String(params['name'])) : undefined
  if (found === undefined) return
  const tools = gateway.board.server(found.server)?.offering?.tools
  const tool = tools?.find(({ name }) => name === found.name)
  const { arguments: args } = params
  if (tool === undefined || !isObject(args)) return
  for (const [name, value] of headersOfCall(tool, args)) {
    const given = textOf(headers[name.toLowerCase()])?.trim()
    const isSame = given !== undefined && fromHeaderValue(given) === fromHeaderValue(value)
    if (!isSame) throw mismatch(name, given, value)
  }
}

const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

function nameIn(method: string, params: Params): string | undefined {
  const key = NAMED[method]
  const value = key === undefined ? undefined : params[key]
  return typeof value === 'string' ? value : undefined
}

function mismatch(name: string, header: string | undefined, body: string): FrontFault {
  const message = `the header \`${name}\` says ${header === undefined ? 'nothing' : JSON.stringify(header)}, the body ${JSON.stringify(body)}`
  return new FrontFault(400, { code: RPC_CODES.headerMismatch, message })
}
