/**
 * visit: the protocol on the socket of a running gateway. It sends lines of JSON, each one message.
 *
 * 1. The client says in one line who it is and what it wants, and the gateway answers at once with `hello`.
 * 2. For MCP, the gateway says `welcome`, and both sides continue with lines of MCP.
 * 3. A command begins when the client answers the greeting with `go`. Then lines say what to print and, last, the exit
 * code. So a client that stops waiting for the greeting knows that its command did not run.
 * 4. While the command runs, the gateway says `alive` each second. A client that gets nothing for ten seconds ends, and
 * says that the command may have run.
 */

import type { Env } from './world.ts'

/**
 * Commands that connect to servers, and so can use a running gateway. `test` checks the start itself, so it runs alone.
 */
const COMMANDS: ReadonlySet<string> = new Set(['call', 'tools', 'resources', 'read', 'prompts', 'prompt'])

/** A gateway must not use what is configured, or turned off, on the command line. */
const FOR_THIS_RUN = /^--(?:mcp-config|strict-mcp-config|no-mcp|alone|help|version)(?:=|$)|^-[hV]$/

/** Whether a running gateway can carry out this command line. */
export function canVisit([command = '', ...rest]: readonly string[]): boolean {
  if (rest.some((word) => FOR_THIS_RUN.test(word))) return false
  return COMMANDS.has(command) || (command === 'list' && rest.includes('--check'))
}

/** Whether this is the command line of an MCP client that a running gateway can serve. */
export function canBridge([command = '', ...rest]: readonly string[]): boolean {
  return command === 'serve' && rest.length === 1 && rest[0] === '--stdio'
}

/** The client's first line. */
export interface Visit {
  /** The version of the client. A gateway of another version is not used. */
  readonly version: string
  readonly wants: Wish
}

export type Wish =
  /** The gateway carries out a command as the client would. */
  | ({
      readonly kind: 'command'
      readonly argv: readonly string[]
      readonly terminal: VisitorTerminal
    } & From)
  /** The client connects to it as an MCP client. */
  | ({ readonly kind: 'mcp' } & From)
  | { readonly kind: 'status' }
  | { readonly kind: 'stop' }

/** Where a client comes from, which decides what is configured for it. */
export interface From {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The variables of an environment that have a value. */
export function definedIn(env: Env): From['env'] {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

/** What is behind the client's stdin, stdout and stderr. */
export interface VisitorTerminal {
  readonly canAsk: boolean
  readonly columns?: number | undefined
  readonly columnsBeside?: number | undefined
  readonly hasColor: { readonly out: boolean; readonly err: boolean }
}

/** How long the gateway may take to greet. A suspended gateway accepts connections and never reads them. */
export const GREETING_MS = 2000

export const NO_GREETING = `the gateway that runs has not answered for ${GREETING_MS / 1000} s: it is not used (\`plugboard status\` shows how it is)`

/**
 * How often the gateway says that it is alive while a command runs, and how many of these a client may miss before it
 * ends.
 */
export const ALIVE_MS = 1000
export const MOST_MISSED = 10

/** A message of the gateway. */
export type Word =
  /** The first message, at once. */
  | { readonly say: 'hello'; readonly pid: number }
  | { readonly say: 'welcome'; readonly pid: number }
  /** The client must go on without the gateway. `why` is for the user, where there is a reason to show. */
  | { readonly say: 'alone'; readonly why?: string }
  | { readonly say: 'alive' }
  | { readonly say: 'out' | 'err'; readonly text: string }
  /** The gateway wants the piped input of the client. */
  | { readonly say: 'input' }
  /** The last message. */
  | { readonly say: 'exit'; readonly code: number }
  | { readonly say: 'status'; readonly status: object }

/** A message of a client with a command, after its first line. */
export type Reply =
  /** The answer to `hello`: only now may the command begin. */
  | { readonly go: true }
  | { readonly input: string }
  | { readonly input: null }
  /** Ctrl-C. */
  | { readonly interrupt: true }
