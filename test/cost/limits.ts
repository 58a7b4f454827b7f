/**
 * limits: what commands may cost, in units that do not depend on how busy a machine is.
 *
 * To raise one on purpose: run `npx vitest run test/cost`, put in what it found, and say in the commit what it is for. What
 * a command needs now and then belongs into a bundle of its own (`APART` in scripts/build.mjs), not in here.
 */
export interface Cost {
  /** Our bundles that may be loaded. */
  readonly bundles: readonly string[]
  /** Those of them that V8 may compile anew, although a run before has left a code cache. */
  readonly uncached: readonly string[]
  /** Modules of Node that may be asked for by name. */
  readonly builtins: readonly string[]
  /** Of code that is evaluated, all bundles together. */
  readonly kilobytes: number
  /** Processes: servers, and the reaper before the first of them. */
  readonly started: number
  /** Files that are replaced before the answer is on the screen. */
  readonly writtenBefore: number
}

const START = ['buffer', 'fs', 'path', 'vm']
/** `net` comes with `child_process` anyway. */
const CONNECT = [...START, 'child_process', 'net', 'os', 'timers/promises', 'util']
/** The last one for what is remembered of servers, while they end. */
const CONNECTED = ['plugboard', 'connected', 'update-file']

export const COMMANDS: Readonly<Record<string, Cost>> = {
  '--version': {
    bundles: ['plugboard'],
    uncached: [],
    builtins: START,
    kilobytes: 251,
    started: 0,
    writtenBefore: 0,
  },
  list: {
    bundles: ['plugboard'],
    uncached: [],
    builtins: START,
    kilobytes: 251,
    started: 0,
    writtenBefore: 0,
  },
  'list --check': {
    bundles: CONNECTED,
    uncached: [],
    builtins: CONNECT,
    kilobytes: 626,
    started: 3,
    writtenBefore: 0,
  },
  // What a tool was when it was first called is on disk before the call: a decision of its user.
  'call one echo text=x': {
    bundles: CONNECTED,
    uncached: [],
    builtins: CONNECT,
    kilobytes: 626,
    started: 2,
    writtenBefore: 1,
  },
  'call one echo text=x, again': {
    bundles: CONNECTED,
    uncached: [],
    builtins: CONNECT,
    kilobytes: 626,
    started: 2,
    writtenBefore: 0,
  },
}

/** What a server over Streamable HTTP is sent, in any order: `GET` is its own stream, for what it has to tell. */
export const HTTP_REQUESTS = {
  connect: ['GET', 'initialize', 'notifications/initialized', 'server/discover', 'tools/list'],
  call: ['tools/call'],
} as const

/** What is sent to a server, until its tools are known and for one call. */
export const ROUND_TRIPS = {
  legacy: {
    connect: ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'],
    again: ['initialize', 'notifications/initialized', 'tools/list'],
    call: ['tools/call'],
  },
  modern: {
    connect: ['server/discover', 'tools/list'],
    again: ['server/discover', 'tools/list'],
    call: ['tools/call'],
  },
} as const
