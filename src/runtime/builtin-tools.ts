/**
 * builtin-tools: our own four tools, through which a model reads resources and prompts when it needs them.
 *
 * in     what each server offers, and a way to ask one
 * out    results in the shape of a tool's result
 * never  lets one server hide the others; catches an error of a server or its connection: the caller turns it into an
 *        outcome
 */
import { isObject } from '../base/is-object.ts'
import type { BuiltinName } from '../model/builtin.ts'
import type { Params, Result } from '../model/message.ts'
import type { RequestOptions } from '../model/session.ts'
import { listPrompts, listResources } from './list-for-model.ts'
import { getPrompt, readResource } from './read-for-model.ts'
import type { KnownServer, StandingServer } from './standing.ts'
import type { BoardTool } from './tools.ts'

export interface BuiltinTool {
  readonly name: BuiltinName
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations: Readonly<Record<string, unknown>>
  /** `list`: reads only what is known, which plan mode allows. `read`: asks a server, which plan mode denies. */
  readonly access: 'list' | 'read'
}

/** What the built-in tools need of a board. */
export interface BuiltinHost {
  snapshot(): { readonly servers: readonly KnownServer[] }
  request(server: string, method: string, params?: Params, options?: RequestOptions): Promise<Result>
}

const SERVER = { type: 'string', description: 'The name of the server.' }

const PAGE = {
  type: 'object',
  properties: {
    server: { type: 'string', description: 'The name of one server. Without it: all servers.' },
    cursor: { type: 'string', description: 'Where to go on, as the page before said at its end.' },
  },
  additionalProperties: false,
}

const LIST_RESOURCES: BuiltinTool = {
  name: 'listMcpResources',
  description:
    'Lists what the MCP servers have to read: files, records, pages and the like, each with its URI. A line that begins with `template` has a URI template: replace each {variable} in it before you read it.',
  inputSchema: PAGE,
  annotations: { readOnlyHint: true },
  access: 'list',
}

const READ_RESOURCE: BuiltinTool = {
  name: 'readMcpResource',
  description: 'Reads one resource of an MCP server.',
  inputSchema: {
    type: 'object',
    properties: {
      server: SERVER,
      uri: { type: 'string', description: 'The URI of the resource, as `listMcpResources` shows it.' },
    },
    required: ['server', 'uri'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
  access: 'read',
}

const LIST_PROMPTS: BuiltinTool = {
  name: 'listMcpPrompts',
  description: 'Lists the prompts that the MCP servers bring along, each with its arguments.',
  inputSchema: PAGE,
  annotations: { readOnlyHint: true },
  access: 'list',
}

const GET_PROMPT: BuiltinTool = {
  name: 'getMcpPrompt',
  description: 'Gets one prompt of an MCP server, filled in: the messages it consists of.',
  inputSchema: {
    type: 'object',
    properties: {
      server: SERVER,
      name: { type: 'string', description: 'The name of the prompt, as `listMcpPrompts` shows it.' },
      arguments: {
        type: 'object',
        description: 'The arguments of the prompt, by name.',
        additionalProperties: { type: 'string' },
      },
    },
    required: ['server', 'name'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
  access: 'read',
}

const RESOURCE_TOOLS = [LIST_RESOURCES, READ_RESOURCE] as const
const PROMPT_TOOLS = [LIST_PROMPTS, GET_PROMPT] as const

export const BUILTIN_TOOLS: readonly BuiltinTool[] = [...RESOURCE_TOOLS, ...PROMPT_TOOLS]

/** No tool of a server has one of these names: those contain `__`, or begin with `mcp_`. */
export function findBuiltin(name: string): BuiltinTool | undefined {
  return BUILTIN_TOOLS.find((tool) => tool.name === name)
}

/** As boards list tools, without a server. The same value each time: the mended schemas are cached by it. */
export function asBoardTool({ name }: BuiltinTool): BoardTool {
  return BOARD_TOOLS.get(name)!
}

const BOARD_TOOLS: ReadonlyMap<BuiltinName, BoardTool> = new Map(
  BUILTIN_TOOLS.map(({ name, description, inputSchema, annotations }) => {
    const shown = { name, description, inputSchema, annotations }
    return [
      name,
      { ...shown, server: '', tool: name, label: 'plugboard', isDeferred: false, definition: shown },
    ]
  }),
)

/**
 * The built-in tools that are of use. They depend on what servers advertise, not on what they list today; and on what
 * is known of a server, not on whether it is connected. So the answer, and with it the beginning of a prompt, stays the
 * same while sessions come and go and lists change. A server counts once something is known of it.
 */
export function offeredBuiltins(servers: readonly StandingServer[]): readonly BuiltinTool[] {
  const resources = servers.some((server) => mayHave(server, 'resources'))
  const prompts = servers.some((server) => mayHave(server, 'prompts'))
  if (resources) return prompts ? BUILTIN_TOOLS : RESOURCE_TOOLS
  return prompts ? PROMPT_TOOLS : NO_TOOLS
}

const NO_TOOLS: readonly BuiltinTool[] = []

function mayHave({ offering }: StandingServer, what: 'resources' | 'prompts'): boolean {
  return (offering?.hello.capabilities[what] ?? false) !== false
}

/** Rejects as a request to the server does, with a ProblemError or a SessionError. */
export async function callBuiltin(
  host: BuiltinHost,
  { name, args }: { readonly name: BuiltinName; readonly args: Params },
  options: RequestOptions = {},
): Promise<Result> {
  const { server, cursor } = args
  const { servers } = host.snapshot()
  switch (name) {
    case 'listMcpResources':
      return listResources(servers, { server, cursor })
    case 'listMcpPrompts':
      return listPrompts(servers, { server, cursor })
    case 'readMcpResource': {
      const known = servers.find((one) => one.name === server)
      const request = (params: Params): Promise<Result> =>
        host.request(String(server), 'resources/read', params, options)
      return readResource(request, String(args['uri']), known?.offering)
    }
    case 'getMcpPrompt': {
      const params = {
        name: String(args['name']),
        ...(isObject(args['arguments']) ? { arguments: args['arguments'] } : {}),
      }
      return getPrompt(await host.request(String(server), 'prompts/get', params, options))
    }
  }
}
