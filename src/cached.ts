/**
 * cached: the library once more, for hosts that Node runs as they are: V8 keeps what it has compiled of it, in a file
 * beside it. In a host's own bundle that file would be missing, and `index.ts` is the one to take.
 */
import type * as Library from './index.ts'
import { loadLibrary } from './world/node/library.ts'

/** What a process has compiled that opened no board would be of little use to one that does. */
let hasOpened = false
const library = loadLibrary({ isWarm: () => hasOpened }) as typeof Library

export const openPlugboard: typeof Library.openPlugboard = async (options) => {
  const board = await library.openPlugboard(options)
  hasOpened = true
  return board
}

export const loadTools: typeof Library.loadTools = async (options) => {
  const loaded = await library.loadTools(options)
  hasOpened = true
  return loaded
}

export const {
  BUILTIN_TOOLS,
  callBuiltin,
  createNodeWorld,
  discoverServers,
  expandTemplate,
  findBuiltin,
  originalText,
  ProblemError,
  PROFILES,
  Secret,
  SessionError,
  showTemplate,
  takeStdout,
  ToolAbortError,
  toolsFor,
  variablesOf,
} = library

export type * from './index.ts'
