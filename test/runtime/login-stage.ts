/**
 * login-stage: one server to sign in to, a browser whose user is willing, and everything that happened on the way.
 */
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Problem } from '../../src/model/problem.ts'
import type { Challenge, SignIn, SignInKey, SignInStore } from '../../src/model/sign-in.ts'
import { createValueCache } from '../../src/pipeline/resolve/value-cache.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import type { LoginStep } from '../../src/runtime/login-host.ts'
import { login, type LoginOutcome, type LoginRequest } from '../../src/runtime/login.ts'
import type { World } from '../../src/world/world.ts'
import type { AuthorizationServer } from '../servers/authorization-server.ts'
import { serve } from '../servers/http/loopback.ts'
import { createScratch, type Scratch } from '../worlds/scratch.ts'

export interface LoginStage extends Disposable {
  readonly scratch: Scratch
  readonly steps: LoginStep[]
  /** Pages that a browser was asked to show. */
  readonly pages: string[]
  readonly logged: string[]
  readonly saved: SignIn[]
  readonly store: SignInStore
  /** How many ports are listened at now, and how many ever were. */
  readonly ports: { now: number; ever: number[] }
  /** Types a line, as its user would. */
  type(line: string): void
  login(entry: object, options?: LoginOptions): Promise<LoginOutcome>
}

export interface LoginOptions extends Partial<
  Pick<LoginRequest, 'way' | 'scopes' | 'timeoutMs' | 'signal' | 'challenge'>
> {
  readonly challenge?: Challenge
  onStep?(step: LoginStep): void
}

export interface StageOptions {
  /** What a person does with a page. Default: nothing. */
  readonly browse?: (url: string) => Promise<unknown>
  readonly change?: (world: World) => World
}

export function openLoginStage({ browse, change = (world) => world }: StageOptions = {}): LoginStage {
  const scratch = createScratch()
  const pages: string[] = []
  const logged: string[] = []
  const steps: LoginStep[] = []
  const ports: LoginStage['ports'] = { now: 0, ever: [] }
  const saved: SignIn[] = []
  let onLine: ((line: string) => void) | undefined
  const { loopback } = scratch.world
  const world = change({
    ...scratch.world,
    loopback: {
      async listen(port, answer) {
        const listener = await loopback.listen(port, answer)
        ports.now += 1
        ports.ever.push(listener.port)
        return {
          ...listener,
          close: async () => {
            await listener.close()
            ports.now -= 1
          },
        }
      },
    },
    browser: {
      async open(url) {
        pages.push(url)
        void browse?.(url)
        return { kind: 'opened', opener: 'test' }
      },
    },
  })
  const store = createMemoryStore(saved)
  return {
    scratch,
    steps,
    pages,
    logged,
    saved,
    store,
    ports,
    type: (line) => onLine?.(line),
    async login(entry, { onStep, ...options } = {}) {
      const { catalog } = await loadCatalog(world, { servers: { one: entry }, strict: true })
      const [server] = catalog.servers
      if (server === undefined) throw new Error(JSON.stringify(catalog.entries.map(({ fate }) => fate)))
      return login(
        {
          server,
          world,
          resolving: { world, cache: createValueCache() },
          store,
          log: { write: (line) => void logged.push(line) },
          way: 'browser',
          ...options,
        },
        {
          onStep: (step) => {
            steps.push(step)
            onStep?.(step)
          },
          onTyped: (listener) => {
            onLine = listener
            return () => (onLine = undefined)
          },
        },
      )
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  }
}

function createMemoryStore(saved: SignIn[]): SignInStore {
  const idOf = ({ url, issuer, credentialId }: SignInKey): string =>
    JSON.stringify([url, issuer, credentialId])
  return {
    requireFolder: () => undefined,
    find: async ({ url }) => saved.findLast(({ key }) => key.url === url),
    save: async (signIn) => {
      saved.push(signIn)
      return { signIn, account: 'me', mark: String(saved.length) }
    },
    forget: async (key) => {
      const rest = saved.filter((one) => idOf(one.key) !== idOf(key))
      saved.splice(0, saved.length, ...rest)
    },
  }
}

/** A person who agrees to everything, and comes back. */
export function agreeing(approve: (url: string) => Promise<URL>): (url: string) => Promise<BackPage> {
  return async (url) => comeBack(await approve(url))
}

export interface BackPage {
  readonly status: number
  readonly text: string
}

/** As a browser goes to a page; `fetch` would say that it is a script. */
export function comeBack(
  url: URL | string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<BackPage> {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site', ...options.headers }
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end()
  })
}

export async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError)) throw error ?? new Error('it did not fail')
  return error.problem
}

/** The page that is to be opened, as soon as it is known. */
export function pageOf(): {
  readonly opened: Promise<{ readonly url: URL; readonly redirectUri: string }>
  onStep(step: LoginStep): void
} {
  let tell: (page: { readonly url: URL; readonly redirectUri: string }) => void = () => undefined
  const opened = new Promise<{ readonly url: URL; readonly redirectUri: string }>(
    (resolve) => (tell = resolve),
  )
  return {
    opened,
    onStep: (step) => {
      // What listens to it is there a moment later.
      if (step.kind === 'page')
        queueMicrotask(() => tell({ url: new URL(step.url), redirectUri: step.redirectUri }))
    },
  }
}

/** Where a browser goes whose user said no. */
export function refusal(page: URL, more: Readonly<Record<string, string>> = {}): URL {
  const back = new URL(page.searchParams.get('redirect_uri')!)
  const state = page.searchParams.get('state')!
  back.search = new URLSearchParams({
    error: 'access_denied',
    error_description: 'Ada said no',
    state,
    ...more,
  }).toString()
  return back
}

/** One that nobody has, as far as can be told. */
export async function freePort(): Promise<number> {
  await using server = await serve(() => undefined)
  return server.port
}

type Answer = NonNullable<AuthorizationServer['answer']>

/** Answers with what it would say of itself, changed. */
export function withMetadata({ issuer }: AuthorizationServer, change: object): Answer {
  return (request, response) => {
    if (request.url !== '/.well-known/oauth-authorization-server') return false
    void fetch(`${issuer}/.well-known/openid-configuration`)
      .then((usual) => usual.json())
      .then((usual) => send(response, { ...(usual as object), ...change }))
    return true
  }
}

export function send(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** A server that takes JSON and forms. */
export async function serveForms(
  answer: (path: string, form: Readonly<Record<string, unknown>>, response: ServerResponse) => unknown,
): Promise<{ readonly origin: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const isJson = request.headers['content-type'] === 'application/json'
      const form = isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
      answer(request.url!, form as Readonly<Record<string, unknown>>, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
