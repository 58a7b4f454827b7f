/**
 * cached: the library once more, for hosts that Node runs as they are: V8 keeps what it has compiled of it, in a file
 * beside it. In a host's own bundle that file would be missing, and `index.ts` is the one to take.
 */
import type * as Library from './index.ts'
import { loadLibrary } from './world/node/library.ts'

const { exports: loaded, noteOpened } = loadLibrary()
const library = loaded as typeof Library

export const openPlugboard: typeof Library.openPlugboard = async (options) => {
  const board = await library.openPlugboard(options)
  noteOpened()
  return board
}

export const loadTools: typeof Library.loadTools = async (options) => {
  const tools = await library.loadTools(options)
  noteOpened()
  return tools
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
