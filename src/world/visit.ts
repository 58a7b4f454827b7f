/**
 * visit: what goes over the socket of a running gateway. Lines of JSON, each one message.
 *
 * The client says who it is and what it wants, in one line, and the gateway greets it at once with `hello`. What is wanted
 * as MCP goes on as lines of MCP, both ways, once the gateway has said `welcome`. A command begins when the client answers
 * the greeting with `go`; then lines say what to print and, last, the exit code. So a client that stops waiting for the
 * greeting knows that its command did not run. While the command runs, the gateway says `alive` each second: a client that
 * hears nothing for ten seconds ends, and says that the command may have run.
 */

import type { Env } from './world.ts'

/** Commands that connect, and so have something of a gateway that runs. `test` is about starting, which it does alone. */
const COMMANDS: ReadonlySet<string> = new Set(['call', 'tools', 'resources', 'read', 'prompts', 'prompt'])

/** What is configured on the line itself, or turned off, is no gateway's business. */
const FOR_THIS_RUN = /^--(?:mcp-config|strict-mcp-config|no-mcp|alone|help|version)(?:=|$)|^-[hV]$/

/** Whether a gateway that runs can carry out this line. */
export function canVisit([command = '', ...rest]: readonly string[]): boolean {
  if (rest.some((word) => FOR_THIS_RUN.test(word))) return false
  return COMMANDS.has(command) || (command === 'list' && rest.includes('--check'))
}

/** Whether it is the line of an MCP client that a gateway that runs can serve. */
export function canBridge([command = '', ...rest]: readonly string[]): boolean {
  return command === 'serve' && rest.length === 1 && rest[0] === '--stdio'
}

/** The first line. */
export interface Visit {
  /** Of the visitor. A gateway of another version is not used. */
  readonly version: string
  readonly wants: Wish
}

export type Wish =
  /** To be carried out here as it would be there. */
  | ({
      readonly kind: 'command'
      readonly argv: readonly string[]
      readonly terminal: VisitorTerminal
    } & From)
  /** To be a client of it. */
  | ({ readonly kind: 'mcp' } & From)
  | { readonly kind: 'status' }
  | { readonly kind: 'stop' }

/** Where a visitor comes from, which decides what is configured for it. */
export interface From {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** As much of an environment as can be told. */
export function definedIn(env: Env): From['env'] {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

/** What is behind the visitor's stdin, stdout and stderr. */
export interface VisitorTerminal {
  readonly canAsk: boolean
  readonly columns?: number | undefined
  readonly columnsBeside?: number | undefined
  readonly hasColor: { readonly out: boolean; readonly err: boolean }
}

/** How long the gateway may take to greet. One that is suspended accepts connections, and never reads them. */
export const GREETING_MS = 2000

export const NO_GREETING = `the gateway that runs has not answered for ${GREETING_MS / 1000} s: it is not used (\`plugboard status\` shows how it is)`

/** How often the gateway says that it is alive while a command runs, and how many of these a client misses before it ends. */
export const ALIVE_MS = 1000
export const MOST_MISSED = 10

/** From the gateway. */
export type Word =
  /** The first word, at once. */
  | { readonly say: 'hello'; readonly pid: number }
  | { readonly say: 'welcome'; readonly pid: number }
  /** The visitor is to do without it; `why` is for people, where there is something to tell. */
  | { readonly say: 'alone'; readonly why?: string }
  | { readonly say: 'alive' }
  | { readonly say: 'out' | 'err'; readonly text: string }
  /** What is piped into the visitor is wanted. */
  | { readonly say: 'input' }
  /** The last one. */
  | { readonly say: 'exit'; readonly code: number }
  | { readonly say: 'status'; readonly status: object }

/** From a visitor with a command, behind its first line. */
export type Reply =
  /** The answer to `hello`: only now may the command begin. */
  | { readonly go: true }
  | { readonly input: string }
  | { readonly input: null }
  /** Ctrl-C. */
  | { readonly interrupt: true }
