/**
 * limits: what commands may cost, in units that do not depend on how busy a machine is. Times are measured by
 * `npm run bench`.
 *
 * To raise one on purpose: run `npx vitest run test/cost`, put in what it found, and say in the commit what it is for.
 */
export interface Cost {
  /** Our own files that are loaded, each of which takes a fifth of a millisecond. */
  readonly files: number
  /** How much code there is in them: a hundred take about two milliseconds on Node 20. */
  readonly kilobytes: number
  /** Modules of Node that may be asked for by name. */
  readonly builtins: readonly string[]
  /** Processes: servers, and the reaper before the first of them. */
  readonly started: number
  /** Files that are replaced before the answer is on the screen. */
  readonly writtenBefore: number
}

const START = ['fs', 'module', 'path']
/** Small ones, which Node has loaded for itself. */
const FILES = [...START, 'buffer', 'os', 'timers/promises', 'util']
/** `net` comes with `child_process` anyway. */
const CONNECT = [...FILES, 'child_process', 'net']

export const COMMANDS: Readonly<Record<string, Cost>> = {
  '--version': { files: 4, kilobytes: 70, builtins: START, started: 0, writtenBefore: 0 },
  list: { files: 8, kilobytes: 425, builtins: FILES, started: 0, writtenBefore: 0 },
  'list --check': { files: 11, kilobytes: 880, builtins: CONNECT, started: 3, writtenBefore: 0 },
  // What a tool was when it was first called is on disk before the call: a decision of its user.
  'call one echo text=x': { files: 10, kilobytes: 880, builtins: CONNECT, started: 2, writtenBefore: 1 },
  'call one echo text=x, again': {
    files: 10,
    kilobytes: 880,
    builtins: CONNECT,
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
