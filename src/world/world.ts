/**
 * world: everything outside the program, as small interfaces.
 *
 * `world/node/` implements them for real; tests keep files and clock in memory. Nothing else imports `node:*` or
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
  /** The ways out of another environment, which may have other proxies. */
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

/** The part of `node:path` we use, in the flavour of the platform. */
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
 * Synchronous on purpose: discovery looks at a few dozen small files, and promises would cost more than the reads.
 * Whatever the file system answers to a question is a value; only `update` and `locked` can fail.
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
  /** Permission bits, or undefined where the platform has none or the file is missing. */
  mode(path: string): number | undefined
  /** Atomic and not locked, for what is written whole and may be lost. Says whether it was. */
  write(file: string, mode: number, content: string | Uint8Array): boolean
  /**
   * Atomic, durable and locked: `change` gets the current text (undefined when missing) and returns the new one, or
   * undefined to leave it. It is asked again when a program that knows no lock wrote in between. The file gets this mode,
   * and keeps its owner and byte order mark. Rejects with an UpdateError, or with what `change` threw.
   */
  update(
    file: string,
    access: number | FileAccess,
    change: (text: string | undefined) => string | undefined,
  ): Promise<void>
  /**
   * Runs the step while nobody else, in this process or another one of this user, runs one for the same file, which need
   * not exist. A lock whose process is gone is taken over. Rejects as the step does, or when it waited too long.
   */
  locked<T>(file: string, step: () => Promise<T>): Promise<T>
  /** Adds to the end, for logs. False when it could not be done. */
  append(file: string, text: string, options: AppendOptions): boolean
  /** Undefined: there is no such file. */
  stats(file: string): FileStats | undefined
  /** False when it could not be done, or the other name is taken: nothing is overwritten. */
  rename(file: string, to: string): boolean
  /** False when it is still there; a file that never was is gone too. */
  remove(file: string): boolean
  /**
   * Tells, now and then for nothing, that something may be other than it was at one of these paths: made, changed, gone,
   * replaced, or reached by another link. Who is told looks. Holds no process open. The answer ends it.
   */
  watch(paths: WatchedPaths, onTouched: () => void): Promise<() => void>
}

export interface FileAccess {
  readonly mode: number
  /** A folder that the file must stay in, links followed: nothing is written where a link leads out. Default: anywhere. */
  readonly within?: string | undefined
}

export interface WatchedPaths {
  /** They need not exist, and neither need their folders. */
  readonly files: readonly string[]
  /** Whatever is right inside counts. */
  readonly folders: readonly string[]
}

export interface FileStats {
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

export interface AppendOptions {
  /** Of a file that is not there yet. */
  readonly mode: number
  /** A file that would grow beyond this becomes `<file>.1`, in place of the one before, and a new one begins. */
  readonly maxBytes: number
}

export const MAX_FILE_BYTES = 64 * 1024 * 1024

export type FileRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly why: Unreadable }

/** In the words of a message: "it is …". */
export type Unreadable =
  | { readonly kind: 'not-a-file'; readonly what: 'a directory' | 'a pipe' | 'a device' | 'a socket' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'link-loop' }
  | { readonly kind: 'too-large'; readonly bytes: number; readonly maxBytes: number }
  /** `before` is the valid text ahead of the first bad byte. */
  | { readonly kind: 'not-utf8'; readonly before: string }
  | { readonly kind: 'failed'; readonly message: string }

/** Why a file was not changed; it is as it was. */
export type Unwritable =
  | { readonly kind: 'disk-full' }
  | { readonly kind: 'read-only-disk' }
  | { readonly kind: 'read-only-file' }
  /** The file belongs to somebody else, and would be ours afterwards. */
  | { readonly kind: 'other-owner'; readonly uid: number }
  /** The path of what may not be written: the file, or something in its folder. */
  | { readonly kind: 'denied'; readonly path: string }
  /** Something that is no folder stands where the folder should be. */
  | { readonly kind: 'no-folder'; readonly path: string }
  | { readonly kind: 'unreadable'; readonly why: Unreadable }
  /** A link on the way to it leads out of the folder that it must stay in. */
  | { readonly kind: 'outside'; readonly link: string; readonly target: string }
  /** Something that is no file stands where the lock would be. */
  | { readonly kind: 'lock-taken'; readonly path: string }
  /** Another of our processes writes it, and does not stop. */
  | { readonly kind: 'locked' }
  /** Another program writes it, over and over. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'failed'; readonly message: string }

export class UpdateError extends Error {
  readonly why: Unwritable

  constructor(why: Unwritable, options?: ErrorOptions) {
    super(why.kind === 'failed' ? why.message : WORDS[why.kind], options)
    this.name = 'UpdateError'
    this.why = why
  }
}

const WORDS: Readonly<Record<Exclude<Unwritable['kind'], 'failed'>, string>> = {
  'disk-full': 'the disk is full',
  'read-only-disk': 'the disk is read-only',
  'read-only-file': 'the file is read-only',
  'other-owner': 'the file belongs to somebody else',
  denied: 'permission denied',
  'no-folder': 'its folder is not a folder',
  unreadable: 'it cannot be read',
  outside: 'a link leads out of the folder that it belongs to',
  'lock-taken': 'something that is no file stands where its lock would be',
  locked: 'another Plugboard is writing it, and does not stop',
  busy: 'another program writes it, over and over',
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs the step once, later; the answer takes it back. `loose`: the process may end before. Default: `held`. */
  after(ms: number, step: () => void, hold?: 'held' | 'loose'): () => void
  /** From 0 to 1, for jitter. */
  random(): number
  /**
   * For so long the process looks for what comes in place of sleeping until it does, as long as nobody else waits so.
   * 0: it is over, for this one.
   */
  stayAwake(ms: number, who: object): void
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
  /** The whole environment: that of whoever asked for it, which need not be that of this process. */
  readonly env: Env
}

export interface ShellOutcome {
  readonly stdout: string
  readonly stderr: string
  /** Undefined when it was ended by a signal or the time limit. */
  readonly exitCode?: number
  readonly timedOut: boolean
}

/** Children that belong to us, with everything they start: none outlives this process, however it ends. */
export interface Processes {
  spawn(request: SpawnRequest, listener: ProcessListener): Child
  /** Of UTF-8, as what children write is; a byte order mark is kept. */
  toText(bytes: Uint8Array): string
}

export interface SpawnRequest {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** It may install something first. Should this process end before `installed`, it gets time to undo what it began. */
  readonly installs?: boolean | undefined
}

/** One of the processes that a child has become. */
export interface RunningProcess {
  readonly pid: number
  /** Empty when it has ended and nobody has asked for its exit code. */
  readonly args: readonly string[]
  /** Which of its scripts npm runs there: its variable `npm_lifecycle_event`. */
  readonly npmScript?: string
}

/** `onExit` or `onFailed` is the last to be called, exactly one of them, once; all output has come before. */
export interface ProcessListener {
  /**
   * Of stdout, cut anywhere: only who reads it knows where it is whole, and can make text of it once. To be looked at
   * before it returns: what comes next may be read into the same memory.
   */
  onOutput(bytes: Uint8Array): void
  /** Of stderr. These are the listener's. */
  onErrorOutput(bytes: Uint8Array): void
  /** Also when a grandchild still holds the pipes. */
  onExit(exit: { readonly exitCode?: number; readonly signal?: string }): void
  /** It could not be started. `ENOCWD`: its folder is missing; other codes are those of the system. */
  onFailed(error: { readonly code: string; readonly message: string }): void
}

export interface Child {
  readonly pid: number | undefined
  /** Dropped when the child is gone; its exit tells. Bytes are given away: once they are written, something else may be in their memory. */
  write(input: string | Uint8Array): void
  /** Bytes that were written, and that it has not taken yet. */
  readonly unread: number
  /** The end of its stdin: the polite way to ask it to leave. */
  endInput(): void
  /** Ends the child and everything it started: `terminate` asks, `kill` does not. */
  end(how: 'terminate' | 'kill'): void
  /** It installs nothing any more. */
  installed(): void
  /** The child and what it started, as far as it is still there. Undefined where the system does not tell (Windows). */
  family(): readonly RunningProcess[] | undefined
}

/**
 * HTTP without a promise per message: an exchange is told to its listener, and most are over in two calls. Goes through
 * the proxy that the environment names, as do `Web` and `Sockets`: see `findRoute`.
 */
export interface Http {
  /**
   * Starts at once. What it returns ends the exchange, after which the listener hears nothing more. Follows no redirect,
   * and waits for ever: who asks has the limits.
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
  /**
   * Bytes are not to be changed any more: they may be sent again. They are given away with an answer of success: once that
   * has ended, something else may be in their memory.
   */
  readonly body?: string | Uint8Array | undefined
  /** Connect there and nowhere else, whatever the name in `origin` means by now. Not for requests through a proxy. */
  readonly address?: string | undefined
  /** Gets a connection at once. Others wait for one when too many are busy, perhaps with waiting for this very message. */
  readonly isUrgent: boolean
}

/** `onEnd` or `onFailed` is the last to be called, exactly one of them, once. */
export interface HttpListener {
  onHead(head: HttpHead): BodyUse
  /** The whole body, or its next piece, which is cut anywhere but inside a character. An empty body is not told. */
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

/** What becomes of the body. A whole one is limited to `MAX_BODY_BYTES`. */
export type BodyUse = 'whole' | 'pieces' | 'nothing'

export const MAX_BODY_BYTES = 64 * 1024 * 1024

export interface HttpError {
  readonly code: string
  readonly message: string
  /** The connection may have been an old one, which the other side had given up already. */
  readonly mayBeStale: boolean
  readonly via?: FaultyVia | undefined
}

export interface FaultyVia extends Via {
  /** It was the proxy that could not be reached or that refused, and not the one behind it. */
  readonly isAtFault: boolean
}

/** The code of an error for a proxy that does not want to carry this; the message says how it put it. */
export const PROXY_REFUSED = 'PROXY_REFUSED'

/** For a proxy that is not asked at all, because of how the variable names it. */
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

/** `onClose` is the last to be called, exactly once. */
export interface SocketListener {
  onOpen(): void
  onText(text: string): void
  onClose(end: SocketEnd): void
}

export type SocketEnd =
  /** The server answered with HTTP and no socket. */
  | {
      readonly kind: 'refused'
      readonly status: number
      /** The beginning of it. */
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
  /** What was said is not WebSocket, or not the kind that was asked for. */
  | { readonly kind: 'misspoke'; readonly message: string }
  /** With the code of the protocol; 1006 when it broke off without a word. */
  | { readonly kind: 'closed'; readonly code: number }

export interface Socket {
  /** Only after `onOpen`. */
  send(text: string): void
  /** Bytes that were sent, and that the other side has not taken yet. */
  readonly unread: number
  /** Says goodbye, and hangs up when the other side does not answer within a second. */
  close(): void
}

/** Where the system keeps secrets for its user: Keychain, Credential Manager, Secret Service. Loaded when first asked. */
export interface Keychain {
  /** False: it need not be asked, as far as can be told at once (no session bus, turned off). */
  readonly mayWork: boolean
  /** Undefined: there is no such item. Rejects when there is no keychain, or it is locked, or it says nothing. */
  get(item: string): Promise<string | undefined>
  set(item: string, secret: string): Promise<void>
  remove(item: string): Promise<void>
}

/** Texts that only the holder of a key can read or change. */
export interface Sealer {
  createKey(): string
  /** `bound` is not in it, but it opens only together with the same. */
  seal(text: string, key: string, bound: string): string
  /** Undefined: another key, another `bound`, or not as it was sealed. */
  open(sealed: string, key: string, bound: string): string | undefined
}

/** DNS. */
export interface Resolver {
  /** IP addresses of a host, in the order of preference. Rejects with an Error that has a `code`, when there are none. */
  addressesOf(host: string): Promise<readonly string[]>
}

export interface Browser {
  /** Shows a page to the person at this machine. Resolves when it can be hoped that they see it. */
  open(url: string): Promise<BrowserOutcome>
}

export type BrowserOutcome =
  /** By which program. */
  | { readonly kind: 'opened'; readonly opener: string }
  /** There is none that works; those that were tried. */
  | { readonly kind: 'no-opener'; readonly tried: readonly string[] }

/** A small HTTP server that only this machine can reach, for the page that a browser comes back to. */
export interface Loopback {
  /** On 127.0.0.1; at any free port where none is given. Rejects with an Error that has a `code` (`EADDRINUSE`). */
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
  /** Settles when the port is free again. An answer that is being sent is sent to its end. */
  close(): Promise<void>
}

/** Private keys and chance. At once, because requests are signed while nobody waits. */
export interface Keys {
  /** A new private key for ES256, as the JSON of a JWK. */
  create(): string
  /** The signature of a JWS (ES256), in base64url. */
  sign(jwk: string, text: string): string
  /** So many bytes that nobody can guess, in base64url. */
  random(bytes: number): string
}

/** HTTP that others ask of us. */
export interface Serving {
  /** Rejects with an Error that has a `code`, such as `EADDRINUSE`. */
  listen(options: ListenOptions, handler: RequestHandler): Promise<Listener>
}

export interface ListenOptions {
  /** An address, not a name. */
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** What is larger is refused with 413, unread. */
  readonly maxBodyBytes: number
  readonly maxHeaderBytes: number
  /** A request must have arrived within so long. The answer may take as long as it takes. */
  readonly requestTimeoutMs: number
  /** How much of its answers may be unread. */
  readonly unread: UnreadLimits
  /** An answer was given up because its client did not read. */
  readonly onSlowClient?: () => void
  /** HTTPS. `listen` rejects when the two do not belong together, or are not what they should be. */
  readonly tls?: TlsIdentity | undefined
}

/** Of what was written and is not read yet. */
export interface UnreadLimits {
  /** A client with more than this waits until it may ask again; with less, when all have left half of `totalBytes` unread. */
  readonly waitBytes: number
  /** Beyond, the answer of the client that was read least lately is ended. One single message may be larger. */
  readonly clientBytes: number
  /** The same, of all clients. */
  readonly totalBytes: number
}

/** PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

export interface Listener {
  readonly port: number
  /** For connections from now on. Throws when the two do not belong together. */
  renew(tls: TlsIdentity): void
  /** Takes no new connections, and ends those that nobody uses. What is under way goes on. */
  stop(): void
  /** Takes no new requests, and ends those under way; an answer that was given is sent, for a second at most. */
  close(): Promise<void>
}

export interface RequestHandler {
  /** Before anything of the body is read. */
  admit(head: RequestHead): Admission | Promise<Admission>
}

export type Admission =
  | { readonly kind: 'refused'; readonly reply: WholeReply }
  | {
      readonly kind: 'admitted'
      /** Whose answers count together when they are not read. */
      readonly client: string
      /** Takes the request when all of it is there. `bytes`: of the body. */
      take(body: string, reply: Reply, bytes: number): void
    }

export interface RequestHead {
  readonly method: string
  /** The address of the other side of the connection. */
  readonly from: string
  /** Path and query, as they were sent. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

export interface WholeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One answer: whole, or as a stream. */
export interface Reply {
  send(reply: WholeReply): void
  /** Begins a stream; `write` and `end` follow. */
  stream(status: number, headers: Readonly<Record<string, string>>): void
  /** Whoever does not read what is written is hung up on before it fills the memory. */
  write(text: string): void
  end(): void
  /** Of the body, so far. */
  bytes(): number
  /** The other side hung up before the answer was over. At most once. */
  onGone(listener: () => void): void
}

/** Other programs of this user on this machine, by a path. */
export interface Pipes {
  /**
   * Nobody else can reach it: its folder is made for this user alone, and one that is not is refused. A socket that nobody
   * listens at any more is replaced. Rejects with an Error that has a `code`: `EADDRINUSE` when somebody does listen.
   */
  listen(path: string, onPipe: (pipe: Pipe) => void): Promise<{ close(): Promise<void> }>
  /** Rejects with an Error that has a `code`: nobody is there. */
  connect(path: string): Promise<Pipe>
}

/** Text both ways, cut anywhere but inside a character. */
export interface Pipe {
  /** Dropped when the other side is gone. Whoever does not read is hung up on before it fills the memory. */
  write(text: string): void
  /** To be called at once. `onEnd` is the last, once, however it ended. */
  onInput(listener: InputListener): void
  /** Sends what was written, and says goodbye. */
  end(): void
}

/** This program once more, as a process of its own that outlives this one and its terminal. */
export interface Daemons {
  /**
   * In the home, with the environment of this process. Resolves with the first line that it writes to stdout, after which
   * nobody reads any more, or with undefined when it ends before. What it writes to stderr goes to the end of `log`.
   */
  start(args: readonly string[], options: { readonly log: string }): Promise<string | undefined>
  /** Of this process. */
  readonly pid: number
  isAlive(pid: number): boolean
}

/** What a host sees of the terminal it runs in. */
export interface Terminal {
  /** A person can be asked: both input and output are terminals. */
  readonly canAsk: boolean
  /** Width in columns; undefined when output is piped. */
  readonly columns: number | undefined
  /** The same for what is beside the answer, which may go elsewhere. */
  readonly columnsBeside: number | undefined
  readonly hasColor: { readonly out: boolean; readonly err: boolean }
  out(text: string): void
  err(text: string): void
  /** All that is piped into the command; for ever, when nobody ends it. */
  input(): Promise<string>
  /** As `input`, for what may not be there: whoever started this may have left a pipe open for nothing. */
  inputWithin(ms: number): Promise<PipedInput>
  /** What comes in, as it comes, cut anywhere but inside a character; then the end, once. */
  onInput(listener: InputListener): void
  /** Ctrl-C, the first time; the second ends the program. The answer takes the listener away. */
  onInterrupt(listener: () => void): () => void
  /** Somebody asks this process to end, and to finish what it does before. */
  onTerminate(listener: () => void): void
  /** Somebody asks this process to read its files again (SIGHUP), any number of times. Absent where nobody can. */
  onHangup?(listener: () => void): void
  /**
   * Lines that are typed or piped in while something else goes on, and Esc where keys can be told from lines. The answer
   * stops listening.
   */
  onTyped(listener: TypedListener): () => void
  /** Undefined when the person cancelled (Esc, Ctrl-C). Call only when `canAsk`. */
  choose<T extends string>(question: string, options: readonly Choice<T>[]): Promise<T | undefined>
  /** A line of text; undefined when the person cancelled. Call only when `canAsk`. */
  ask(question: string, options?: AskOptions): Promise<string | undefined>
  /**
   * Runs an editor on a file, in this terminal or in a window of its own, and resolves when it is closed. `command` is a
   * line for the shell, as `EDITOR` has it. The exit code is undefined when a signal ended it.
   */
  edit(command: string, file: string): Promise<number | undefined>
  /** As wide and high as it is now. Call only when `canAsk`. */
  size(): { readonly columns: number; readonly rows: number }
  /** The answer takes the listener away. */
  onResize(listener: () => void): () => void
  /**
   * What the keys send, as it comes: nothing is echoed, and Ctrl-C is a key. What is pasted stands between `ESC [ 200 ~` and
   * `ESC [ 201 ~`. The answer gives the terminal back. Call only when `canAsk`.
   */
  onKeys(listener: (chunk: string) => void): () => void
}

export type PipedInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Nothing is piped in. */
  | { readonly kind: 'none' }
  /** Nothing had come when the time was over. */
  | { readonly kind: 'late' }

export interface AskOptions {
  /** Shown while nothing is typed; not an answer. */
  readonly example?: string | undefined
  /** Not shown while it is typed. */
  readonly isSecret?: boolean | undefined
  /** What is wrong with an answer; it is then asked for again. Undefined: nothing. */
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
