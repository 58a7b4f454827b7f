/**
 * limits: what commands may cost, in units that do not depend on how busy a machine is. Bytes are not among them: what a
 * bundle weighs is measured as time, by `npm run bench`.
 *
 * To raise one on purpose: run `npx vitest run test/cost`, put in what it found, and say in the commit what it is for.
 */
export interface Cost {
  /** Modules of Node that may be asked for by name. */
  readonly builtins: readonly string[]
  /** Processes: servers, and the reaper before the first of them. */
  readonly started: number
  /** Files that are replaced before the answer is on the screen. */
  readonly writtenBefore: number
}

const START = ['buffer', 'fs', 'path', 'vm']
/** `crypto` for the hash that names folders and binds approvals. */
const LIST = [...START, 'crypto']
/** `net` comes with `child_process` anyway. */
const CONNECT = [...LIST, 'child_process', 'net', 'os', 'timers/promises', 'util']

export const COMMANDS: Readonly<Record<string, Cost>> = {
  '--version': { builtins: START, started: 0, writtenBefore: 0 },
  list: { builtins: LIST, started: 0, writtenBefore: 0 },
  'list --check': { builtins: CONNECT, started: 3, writtenBefore: 0 },
  // What a tool was when it was first called is on disk before the call: a decision of its user.
  'call one echo text=x': { builtins: CONNECT, started: 2, writtenBefore: 1 },
  'call one echo text=x, again': { builtins: CONNECT, started: 2, writtenBefore: 0 },
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
