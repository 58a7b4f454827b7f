/**
 * servers-known: servers as a board knows them, made by hand.
 */
import type { Connection, ConnectionState } from '../../src/model/connection.ts'
import type { Listed, Offering } from '../../src/model/offering.ts'
import { createProblem } from '../../src/problem/problem.ts'
import type { KnownServer } from '../../src/runtime/standing.ts'

export interface Offered {
  readonly resources?: readonly Listed[]
  readonly templates?: readonly Listed[]
  readonly prompts?: readonly Listed[]
  readonly instructions?: string
  readonly capabilities?: Readonly<Record<string, unknown>>
  readonly unlisted?: Offering['unlisted']
}

export function offering({ resources = [], templates = [], prompts = [], ...rest }: Offered = {}): Offering {
  const { instructions, unlisted, capabilities = { tools: {}, resources: {}, prompts: {} } } = rest
  return {
    hello: {
      era: 'legacy',
      version: '2025-11-25',
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
    },
    tools: [],
    resources,
    resourceTemplates: templates,
    prompts,
    quarantined: [],
    problems: [],
    ...(unlisted === undefined ? {} : { unlisted }),
  }
}

export function connection(state: ConnectionState): Connection {
  const problem = createProblem({
    code: 'connect/exit',
    message: 'it exited with code 3',
    hints: ['run `plugboard logs x`'],
  })
  switch (state) {
    case 'connecting':
    case 'ready':
      return { state, attempt: 1, since: 0 }
    case 'waiting':
      return { state, attempt: 2, retryAt: 0, problem }
    case 'failed':
    case 'needs-auth':
      return { state, problem }
    case 'idle':
    case 'closed':
      return { state }
  }
}

/** One that is ready, unless it is said to be otherwise. */
export function known(name: string, offered?: Offering, state: ConnectionState = 'ready'): KnownServer {
  return { name, connection: connection(state), ...(offered === undefined ? {} : { offering: offered }) }
}
