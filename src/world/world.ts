/**
 * world: everything outside the program, as small interfaces.
 *
 * `world/node/` implements them for real; tests keep files and clock in memory. No other module imports `node:*` or
 * reads `process`, so the rules of Windows and macOS can be tested on any machine.
 */
export interface World {
  readonly platform: Platform
  /** How many things can run at the same time. */
  readonly processors: number
  readonly paths: Paths
  readonly env: Env
  readonly home: string
  readonly cwd: string
  readonly files: Files
  readonly clock: Clock
  readonly web: Web
  readonly shell: Shell
  readonly processes: Processes
  readonly http: Http
  readonly sockets: Sockets
  /** The network access for another environment, which may have other proxies. */
  networkOf(env: Env): Network
  readonly keychain: Keychain
  readonly sealer: Sealer
  readonly resolver: Resolver
  readonly browser: Browser
  readonly loopback: Loopback
  readonly keys: Keys
  readonly serving: Serving
  readonly pipes: Pipes
  readonly daemons: Daemons
}

export type Network = Pick<World, 'web' | 'http' | 'sockets'>

export type Platform = 'linux' | 'darwin' | 'win32'

export type Env = Readonly<Record<string, string | undefined>>

/** The part of `node:path` we use, in the style of the platform. */
export interface Paths {
  readonly sep: string
  readonly delimiter: string
  join(...parts: string[]): string
  resolve(...parts: string[]): string
  dirname(path: string): string
  basename(path: string): string
  relative(from: string, to: string): string
  isAbsolute(path: string): boolean
}

/**
 * Synchronous on purpose: discovery reads a few dozen small files, and promises would cost more than the reads. Methods
 * return values for all failures of the file system; only `update` and `locked` can reject.
 */
export interface Files {
  /** Never blocks on a pipe or device, never reads more than `maxBytes`, by default `MAX_FILE_BYTES`. */
  read(file: string, maxBytes?: number): FileRead
  kind(path: string): 'file' | 'directory' | 'other' | 'missing'
  /** Names in a directory, sorted; empty when there is none. */
  list(directory: string): readonly string[]
  /** The path itself when it cannot be resolved. */
  realPath(path: string): string
  isExecutable(path: string): boolean
  /** What prevents writing files in this folder, which is made if it is missing. A full disk is not noticed. */
  findObstacle(folder: string): Obstacle | undefined
  /** Permission bits, or undefined where the platform has none or the file is missing. */
  mode(path: string): number | undefined
  /** It belongs to another user of this machine. False where it is missing, and where the platform does not say. */
  isForeign(path: string): boolean
  /** Makes a folder for this user alone, and the missing ones above it. False when that failed. */
  makeFolder(path: string): boolean
  /** Atomic and not locked, for content that is written whole and may be lost. Says whether it was written. */
  write(file: string, mode: number, content: string | Uint8Array): boolean
  /**
   * Atomic, durable and locked: `change` gets the current text (undefined when missing) and returns the new one, or
   * undefined to leave it. It is called again when a program that ignores locks wrote in between. The file gets this
   * mode, and keeps its owner and byte order mark. Rejects with an UpdateError, or with what `change` threw.
   */
  update(
    file: string,
    access: number | FileAccess,
    change: (text: string | undefined) => string | undefined,
  ): Promise<void>
  /**
   * Runs the step while no other step runs for the same file, in this process or another one of this user. The file
   * need not exist. A lock whose process is gone is taken over. Rejects as the step does, and with an UpdateError where
   * no lock can be made or the wait was too long.
   */
  locked<T>(file: string, step: () => Promise<T>): Promise<T>
  /** Appends text, for logs. False when that failed. */
  append(file: string, text: string, options: AppendOptions): boolean
  /** Undefined: there is no such file. */
  stats(file: string): FileStats | undefined
  /** False when it failed or the other name is taken: nothing is overwritten. */
  rename(file: string, to: string): boolean
  /** False when the file is still there. A file that never existed counts as removed. */
  remove(file: string): boolean
  /**
   * Calls `onTouched` when something may have changed at one of these paths: made, changed, gone, replaced, or reached
   * by another link. Some calls come without a change, so the caller must look itself. Does not keep the process alive.
   * The returned function stops the watch.
   */
  watch(paths: WatchedPaths, onTouched: () => void): Promise<() => void>
}

/** An Unwritable that is known without writing. `path`: the folder itself, or what stands above it. */
export interface Obstacle {
  readonly kind: 'no-folder' | 'denied' | 'read-only-disk'
  readonly path: string
}

export interface FileAccess {
  readonly mode: number
  /** The folder for the file. A write fails where a link leads out of it. Default: any folder. */
  readonly within?: string | undefined
}

export interface WatchedPaths {
  /** Neither they nor their folders need exist. */
  readonly files: readonly string[]
  /** A change of any direct child counts. */
  readonly folders: readonly string[]
}

export interface FileStats {
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

export interface AppendOptions {
  /** The mode of a file that does not exist yet. */
  readonly mode: number
  /**
   * A file that would grow beyond this is renamed to `<file>.1`, which replaces the previous one, and a new file
   * begins.
   */
  readonly maxBytes: number
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024

export type FileRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: Unreadable }

/** Worded to follow "it is …" in a message. */
export type Unreadable =
  | { readonly kind: 'not-a-file'; readonly what: 'a directory' | 'a pipe' | 'a device' | 'a socket' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'link-loop' }
  | { readonly kind: 'too-large'; readonly bytes: number; readonly maxBytes: number }
  /** `before` is the valid text before the first bad byte. */
  | { readonly kind: 'not-utf8'; readonly before: string }
  | { readonly kind: 'failed'; readonly message: string }

/** Why a file was not changed. It is as it was. */
export type Unwritable =
  | { readonly kind: 'disk-full' }
  | { readonly kind: 'read-only-disk' }
  | { readonly kind: 'read-only-file' }
  /** The file belongs to another user, and the change would make it ours. */
  | { readonly kind: 'other-owner'; readonly uid: number }
  /** The path that may not be written: the file, or the folder for it. */
  | { readonly kind: 'denied'; readonly path: string }
  /** Something that is no folder stands where the folder should be. */
  | { readonly kind: 'no-folder'; readonly path: string }
  | { readonly kind: 'unreadable'; readonly why: Unreadable }
  /** A link on its path leads out of the folder that the file must stay in. */
  | { readonly kind: 'outside'; readonly link: string; readonly target: string }
  /** Something that is no file stands where the lock would be. */
  | { readonly kind: 'lock-taken'; readonly path: string }
  /** Another Plugboard process writes it, and does not stop. */
  | { readonly kind: 'locked' }
  /** Another program writes it, over and over. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * The command is built as several bundles, and each has its own copy of the class. This brand lets them recognise each
 * other's.
 */
const UPDATE_BRAND: unique symbol = Symbol.for('plugboard.update')

export class UpdateError extends Error {
  readonly why: Unwritable
  readonly [UPDATE_BRAND] = true

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && UPDATE_BRAND in value
  }

  constructor(why: Unwritable, options?: ErrorOptions) {
    super(wordsOf(why), options)
    this.name = 'UpdateError'
    this.why = why
  }
}

function wordsOf(why: Unwritable): string {
  switch (why.kind) {
    case 'failed':
      return why.message
    case 'denied':
      return `permission denied for \`${why.path}\``
    case 'no-folder':
      return `\`${why.path}\` is not a folder`
    default:
      return WORDS[why.kind]
  }
}

const WORDS: Readonly<Record<Exclude<Unwritable['kind'], 'failed' | 'denied' | 'no-folder'>, string>> = {
  'disk-full': 'the disk is full',
  'read-only-disk': 'the disk is read-only',
  'read-only-file': 'the file is read-only',
  'other-owner': 'the file belongs to somebody else',
  unreadable: 'it cannot be read',
  outside: 'a link leads out of the folder that it belongs to',
  'lock-taken': 'something that is no file stands where its lock would be',
  locked: 'another Plugboard is writing it, and does not stop',
  busy: 'another program writes it, over and over',
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Runs the step once, later. The returned function cancels it. `loose`: the process may end before. Default: `held`.
   */
  after(ms: number, step: () => void, hold?: 'held' | 'loose'): () => void
  /** From 0 to 1, for jitter. */
  random(): number
}

export interface Web {
  /** GET, following no redirect. Rejects with an Error that has the HttpError as its cause, or as the signal says. */
  get(
    url: string,
    options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<{ readonly status: number; readonly text: string }>
}

export interface Shell {
  /** Runs a command line in the user's shell; ends it, with its children, at the time limit. */
  run(command: string, options: ShellOptions): Promise<ShellOutcome>
}

export interface ShellOptions {
  readonly cwd: string
  readonly timeoutMs: number
  /** The whole environment: that of the caller, which need not be that of this process. */
  readonly env: Env
}

export interface ShellOutcome {
  readonly stdout: string
  readonly stderr: string
  /** Undefined when a signal or the time limit ended it. */
  readonly exitCode?: number
  readonly timedOut: boolean
}

/** Children of this process, with everything they start: none outlives this process, however it ends. */
export interface Processes {
  spawn(request: SpawnRequest, listener: ProcessListener): Child
  /** Resolves when no child is left: a package runner may take longer to end than a close waits for it. */
  whenNoneIsLeft(): Promise<void>
}

export interface SpawnRequest {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** It may install something first. If this process ends before `installed`, it gets time to undo that. */
  readonly installs?: boolean | undefined
}

/** A child, or a descendant of one. */
export interface RunningProcess {
  readonly pid: number
  /** Empty when it has ended and its parent has not read its exit code. */
  readonly args: readonly string[]
  /** Which of its scripts npm runs there: its variable `npm_lifecycle_event`. */
  readonly npmScript?: string
}

/** Exactly one of `onExit` and `onFailed` is called, once, and last. All output has come before. */
export interface ProcessListener {
  /** From stdout, cut anywhere: only the reader knows where a message ends, and it decodes the text once. */
  onOutput(bytes: Uint8Array): void
  /** From stderr. */
  onErrorOutput(bytes: Uint8Array): void
  /** Called even while a grandchild still holds the pipes. */
  onExit(exit: { readonly exitCode?: number; readonly signal?: string }): void
  /** It could not be started. `ENOCWD`: its folder is missing; other codes are those of the system. */
  onFailed(error: { readonly code: string; readonly message: string }): void
}

export interface Child {
  readonly pid: number | undefined
  /** Dropped when the child is gone. `onExit` reports that. */
  write(input: string): void
  /** Bytes that were written and that the child has not taken yet. */
  readonly unread: number
  /** Ends its stdin: the polite way to ask it to exit. */
  endInput(): void
  /** Ends the child and everything it started: `terminate` asks, `kill` does not. */
  end(how: 'terminate' | 'kill'): void
  /** It has finished installing. */
  installed(): void
  /** The child and its descendants that are still alive. Undefined where the system does not say (Windows). */
  family(): readonly RunningProcess[] | undefined
}

/**
 * HTTP without a promise for each message: an exchange calls its listener, and most need two calls. Uses the proxy that
 * the environment names, as do `Web` and `Sockets`: see `findRoute`.
 */
export interface Http {
  /**
   * Starts at once. The returned function ends the exchange: then the listener is not called any more. Follows no
   * redirect, and waits for ever: the caller sets the limits.
   */
  request(request: HttpRequest, listener: HttpListener): () => void
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `https://host:port`, as `URL` gives it. */
  readonly origin: string
  /** With the query. */
  readonly path: string
  /** Name, value, name, value. */
  readonly headers: readonly string[]
  readonly body?: string | undefined
  /**
   * Connects to this address only, whatever the name in `origin` resolves to by now. Not for requests through a proxy.
   */
  readonly address?: string | undefined
  /**
   * Gets a connection at once. Other requests wait while too many are busy, perhaps because those wait for this very
   * message.
   */
  readonly isUrgent: boolean
}

/** Exactly one of `onEnd` and `onFailed` is called, once, and last. */
export interface HttpListener {
  onHead(head: HttpHead): BodyUse
  /** The whole body, or its next piece, cut anywhere but inside a character. Not called for an empty body. */
  onText(text: string): void
  onEnd(): void
  onFailed(error: HttpError): void
}

export interface HttpHead {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly via?: Via | undefined
}

/** The proxy that a request went through. */
export interface Via {
  /** `http://proxy.corp:3128`: without name and password. */
  readonly proxy: string
  /** Which variable of the environment names it. */
  readonly variable: string
}

/** What the caller does with the body. A whole body is limited to `MAX_BODY_BYTES`. */
export type BodyUse = 'whole' | 'pieces' | 'nothing'

export const MAX_BODY_BYTES = 64 * 1024 * 1024

export interface HttpError {
  readonly code: string
  readonly message: string
  /** The connection may have been an old one that the other side had already closed. */
  readonly mayBeStale: boolean
  readonly via?: FaultyVia | undefined
}

export interface FaultyVia extends Via {
  /** The proxy could not be reached or refused; the server behind it is not at fault. */
  readonly isAtFault: boolean
}

/** The code of an error when the proxy refuses the request. The message holds the proxy's own words. */
export const PROXY_REFUSED = 'PROXY_REFUSED'

/** For a proxy that is never contacted, because the variable names it in an unusable way. */
export const PROXY_UNUSABLE = 'PROXY_UNUSABLE'

/** The code of an HttpError for a body beyond `MAX_BODY_BYTES`. */
export const TOO_LARGE = 'TOO_LARGE'

export interface Sockets {
  open(request: SocketRequest, listener: SocketListener): Socket
}

export interface SocketRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly protocols: readonly string[]
}

/** `onClose` is called exactly once, and last. */
export interface SocketListener {
  onOpen(): void
  onText(text: string): void
  onClose(end: SocketEnd): void
}

export type SocketEnd =
  /** The server answered with an HTTP response and opened no socket. */
  | {
      readonly kind: 'refused'
      readonly status: number
      /** The beginning of the body. */
      readonly body: string
      /** `WWW-Authenticate`. */
      readonly challenge?: string | undefined
      readonly via?: Via | undefined
    }
  | {
      readonly kind: 'failed'
      readonly code: string
      readonly message: string
      readonly via?: FaultyVia | undefined
    }
  /** The other side did not speak WebSocket, or not the subprotocol that was requested. */
  | { readonly kind: 'misspoke'; readonly message: string }
  /** With the code of the protocol; 1006 when the connection broke without a close message. */
  | { readonly kind: 'closed'; readonly code: number }

export interface Socket {
  /** Only after `onOpen`. */
  send(text: string): void
  /** Bytes that were sent and that the other side has not taken yet. */
  readonly unread: number
  /** Sends a close message, and hangs up when the other side does not answer within a second. */
  close(): void
}

/**
 * Where the system keeps secrets for its user: Keychain, Credential Manager, Secret Service. Loaded with the first
 * call.
 */
export interface Keychain {
  /** False: a call would fail, as far as that is known at once (no session bus, turned off). */
  readonly mayWork: boolean
  /** Undefined: there is no such item. Rejects when there is no keychain, it is locked, or it does not answer. */
  get(item: string): Promise<string | undefined>
  set(item: string, secret: string): Promise<void>
  remove(item: string): Promise<void>
}

/** Encrypted texts that only the holder of a key can read or change. */
export interface Sealer {
  createKey(): string
  /** The result does not contain `bound`, but opens only with the same `bound`. */
  seal(text: string, key: string, bound: string): string
  /** Undefined: another key, another `bound`, or a changed text. */
  open(sealed: string, key: string, bound: string): string | undefined
}

/** DNS. */
export interface Resolver {
  /** IP addresses of a host, preferred ones first. Rejects with an Error that has a `code` when there are none. */
  addressesOf(host: string): Promise<readonly string[]>
}

export interface Browser {
  /** Shows a page to the user of this machine. Resolves when the user probably sees it. */
  open(url: string): Promise<BrowserOutcome>
}

export type BrowserOutcome =
  /** The program that opened it. */
  | { readonly kind: 'opened'; readonly opener: string }
  /** No program works; these were tried. */
  | { readonly kind: 'no-opener'; readonly tried: readonly string[] }

/** A small HTTP server that only this machine can reach, for the page that a browser returns to. */
export interface Loopback {
  /** On 127.0.0.1, at any free port where none is given. Rejects with an Error that has a `code` (`EADDRINUSE`). */
  listen(
    port: number | undefined,
    answer: (request: LoopbackRequest) => LoopbackAnswer,
  ): Promise<LoopbackListener>
}

export interface LoopbackRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface LoopbackAnswer {
  readonly status: number
  readonly html: string
}

export interface LoopbackListener {
  readonly port: number
  /** Settles when the port is free again. A response in progress is sent to its end. */
  close(): Promise<void>
}

/** Private keys and random bytes. Synchronous, because requests are signed without a wait. */
export interface Keys {
  /** A new private key for ES256, as the JSON of a JWK. */
  create(): string
  /** The signature of a JWS (ES256), in base64url. */
  sign(jwk: string, text: string): string
  /** So many random bytes, which no attacker can guess, in base64url. */
  random(bytes: number): string
}

/** An HTTP server. */
export interface Serving {
  /** Rejects with an Error that has a `code`, such as `EADDRINUSE`. */
  listen(options: ListenOptions, handler: RequestHandler): Promise<Listener>
}

export interface ListenOptions {
  /** An address, not a name. */
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** A larger request is refused with 413, unread. */
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  /** The time limit for a request to arrive. The response may take any time. */
  readonly requestTimeoutMs: number
  /** How much of its responses may be unread. */
  readonly unread: UnreadLimits
  /** Called when a response was dropped because its client did not read it. */
  readonly onSlowClient?: () => void
  /** For HTTPS. `listen` rejects when certificate and key do not match, or are invalid. */
  readonly tls?: TlsIdentity | undefined
}

/** Limits for what was written and is not read yet. */
export interface UnreadLimits {
  /**
   * A client with more than this unread waits until it may send the next request. With less, it waits only when all
   * clients have left half of `totalBytes` unread.
   */
  readonly waitBytes: number
  /** Beyond this, the response that its client read least recently is ended. One single message may be larger. */
  readonly clientBytes: number
  /** The same, for all clients together. */
  readonly totalBytes: number
}

/** PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

export interface Listener {
  readonly port: number
  /** For new connections. Throws when certificate and key do not match. */
  renew(tls: TlsIdentity): void
  /** Accepts no new connections, and ends idle ones. Requests in progress go on. */
  stop(): void
  /** Accepts no new requests, and ends those in progress. A finished response is still sent, for a second at most. */
  close(): Promise<void>
}

export interface RequestHandler {
  /** Called before the body is read. */
  admit(head: RequestHead): Admission | Promise<Admission>
}

export type Admission =
  | { readonly kind: 'refused'; readonly reply: WholeReply }
  | {
      readonly kind: 'admitted'
      /** Unread responses with the same value count together. */
      readonly client: string
      /** Gets the request when it has arrived whole. `bytes`: the size of the body. */
      take(body: string, reply: Reply, bytes: number): void
    }

export interface RequestHead {
  readonly method: string
  /** The address of the other side of the connection. */
  readonly from: string
  /** Path and query, as the client sent them. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface WholeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One response: whole, or as a stream. */
export interface Reply {
  send(reply: WholeReply): void
  /** Begins a stream; `write` and `end` follow. */
  stream(status: number, headers: Readonly<Record<string, string>>): void
  /** A client that does not read is disconnected before its output fills the memory. */
  write(text: string): void
  end(): void
  /** The size of the body so far. */
  bytes(): number
  /** Called when the other side hung up before the response was over. At most once. */
  onGone(listener: () => void): void
}

/** Connections with other programs of this user on this machine, by a path. */
export interface Pipes {
  /**
   * No other user can reach it: its folder is made for this user alone, and any other folder is refused. A socket
   * without a listening process is replaced. Rejects with an Error that has a `code`: `EADDRINUSE` when another process
   * listens.
   */
  listen(path: string, onPipe: (pipe: Pipe) => void): Promise<{ close(): Promise<void> }>
  /** Rejects with an Error that has a `code` when no process listens. */
  connect(path: string): Promise<Pipe>
}

/** Text both ways, cut anywhere but inside a character. */
export interface Pipe {
  /**
   * Dropped when the other side is gone. A client that does not read is disconnected before its output fills the
   * memory.
   */
  write(text: string): void
  /** Must be called at once. `onEnd` is called last, once, however the pipe ended. */
  onInput(listener: InputListener): void
  /** Sends what was written, then closes. */
  end(): void
}

/** Starts this program again, as a process that outlives this one and its terminal. */
export interface Daemons {
  /**
   * Starts in the home. Resolves with the first line that it writes to stdout, or with undefined when it ends before.
   * Nothing after that line is read. Its stderr is appended to `log`. Rejects with an UpdateError where the log cannot
   * be written.
   */
  start(args: readonly string[], options: DaemonOptions): Promise<string | undefined>
  /** The id of this process. */
  readonly pid: number
  isAlive(pid: number): boolean
}

export interface DaemonOptions {
  readonly log: string
  /** The whole environment, without the variables that lead back to where it was started (`PWD`). */
  readonly env: Env
}

/** The terminal of a host. */
export interface Terminal {
  /** The user can be asked: both input and output are terminals. */
  readonly canAsk: boolean
  /** Width in columns; undefined when output is piped. */
  readonly columns: number | undefined
  /** The same for stderr, which may go elsewhere. */
  readonly columnsBeside: number | undefined
  readonly hasColor: { readonly out: boolean; readonly err: boolean }
  out(text: string): void
  err(text: string): void
  /** All that is piped into the command. Never settles when the input does not end. */
  input(): Promise<string>
  /** As `input`, for input that may not exist: the parent process may have left a pipe open without using it. */
  inputWithin(ms: number): Promise<PipedInput>
  /** Gives input as it comes, cut anywhere but inside a character; then the end, once. */
  onInput(listener: InputListener): void
  /** The first Ctrl-C; the second ends the program. The returned function removes the listener. */
  onInterrupt(listener: () => void): () => void
  /** Another process asks this one to finish its work and end. */
  onTerminate(listener: () => void): void
  /**
   * Another process asks this one to read its files again (SIGHUP), any number of times. Absent where the system has no
   * such signal.
   */
  onHangup?(listener: () => void): void
  /**
   * Lines that are typed or piped in while other work runs, and Esc where the terminal can tell keys from lines. The
   * returned function stops listening.
   */
  onTyped(listener: TypedListener): () => void
  /** Undefined when the user cancelled (Esc, Ctrl-C). Call only when `canAsk`. */
  choose<T extends string>(question: string, options: readonly Choice<T>[]): Promise<T | undefined>
  /** A line of text; undefined when the user cancelled. Call only when `canAsk`. */
  ask(question: string, options?: AskOptions): Promise<string | undefined>
  /**
   * Runs an editor on a file, in this terminal or in its own window, and resolves when it is closed. `command` is a
   * line for the shell, as in `EDITOR`. The exit code is undefined when a signal ended it.
   */
  edit(command: string, file: string): Promise<number | undefined>
  /** Its current size. Call only when `canAsk`. */
  size(): { readonly columns: number; readonly rows: number }
  /** The returned function removes the listener. */
  onResize(listener: () => void): () => void
  /**
   * What the keys send, as it comes: nothing is echoed, and Ctrl-C is a key. Pasted text stands between `ESC [ 200 ~`
   * and `ESC [ 201 ~`. The returned function restores the terminal. Call only when `canAsk`.
   */
  onKeys(listener: (chunk: string) => void): () => void
}

export type PipedInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Nothing is piped in. */
  | { readonly kind: 'none' }
  /** No input had come when the time was over. */
  | { readonly kind: 'late' }

export interface AskOptions {
  /** Shown while nothing is typed; not an answer. */
  readonly example?: string | undefined
  /** Not shown while it is typed. */
  readonly isSecret?: boolean | undefined
  /** What is wrong with an answer; the terminal then asks again. Undefined: nothing. */
  readonly fault?: ((answer: string) => string | undefined) | undefined
}

export interface TypedListener {
  onLine(line: string): void
  /** Esc. */
  onCancel(): void
}

export interface InputListener {
  onText(text: string): void
  onEnd(): void
}

export interface Choice<T extends string> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}
