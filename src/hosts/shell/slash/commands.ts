/**
 * commands: everything that can be typed behind a slash, as data. Help and completion read it, too.
 */
import { toTable } from '../../shared/table.ts'
import type { ShellContext, SlashCommand } from '../context.ts'
import { serverPrompts } from '../server-prompts.ts'
import { call, completeCall } from './call.ts'
import { completeMcp, MCP_COMMANDS, runMcp } from './mcp.ts'
import { tools } from './offers.ts'
import { completeRunning } from './servers.ts'
import { demo, model, permissions, pins, plan } from './session.ts'

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    usage: '[mcp]',
    summary: 'every command',
    run: async (context, words) => showHelp(context, words[0] === 'mcp' ? 'mcp' : 'all'),
    complete: async () => ['mcp'],
  },
  {
    name: 'mcp',
    usage: '[command]',
    summary: 'the servers of this session (/help mcp)',
    run: runMcp,
    complete: completeMcp,
  },
  {
    name: 'tools',
    usage: '[server]',
    summary: 'what the model can call',
    run: tools,
    complete: completeRunning,
  },
  {
    name: 'call',
    usage: '<server> <tool> [name=value …]',
    summary: 'call a tool by hand',
    run: call,
    complete: completeCall,
  },
  { name: 'plan', summary: 'plan mode: no tool of any server is called; again, and it is over', run: plan },
  {
    name: 'permissions',
    usage: '[list | allow | ask | deny | reset | explain] …',
    summary: 'which tools may be called',
    run: permissions,
    complete: async (_, { length }) =>
      length <= 1 ? ['list', 'allow', 'ask', 'deny', 'reset', 'explain'] : [],
  },
  {
    name: 'pins',
    usage: '[list | diff | accept | forget] …',
    summary: 'tools that are not what you approved',
    run: pins,
    complete: async (_, { length }) => (length <= 1 ? ['list', 'diff', 'accept', 'forget'] : []),
  },
  { name: 'model', usage: '[provider/id]', summary: 'which model answers', run: model },
  { name: 'demo', summary: 'a bundled server to try things out with, on and off', run: demo },
  { name: 'clear', summary: 'forget the conversation', run: async (context) => context.clear() },
  { name: 'quit', aliases: ['exit'], summary: 'leave', run: async (context) => context.quit() },
]

const COLUMNS = [
  { title: 'COMMAND', shrinks: 2 },
  { title: 'WHAT IT DOES', shrinks: 1, isDetail: true },
]

function showHelp(context: ShellContext, of: 'all' | 'mcp'): void {
  const { paint } = context
  const view = { paint, columns: context.columns() }
  const toRows = (table: readonly SlashCommand[], before: string): readonly (readonly [string, string])[] =>
    table.map(({ name, aliases = [], usage = '', summary }) => [
      `${before}${[name, ...aliases].join('|')} ${usage}`.trim(),
      summary,
    ])
  const rows =
    of === 'mcp'
      ? toRows(MCP_COMMANDS, '/mcp ')
      : [
          ...toRows(SLASH_COMMANDS, '/'),
          ...serverPrompts(context.board).map(
            ({ command, description = '' }) => [`/${command}`, description.split('\n', 1)[0]!] as const,
          ),
        ]
  const cells = rows.map(([text, about]) => [{ text, brush: paint.bold }, about])
  context.print(toTable(COLUMNS, cells, view))
  if (of === 'all') context.print('everything else goes to the model; @server:uri attaches a resource')
}
