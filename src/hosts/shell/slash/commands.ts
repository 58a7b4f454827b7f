/** commands: every slash command, as data, also for help and completion. */
import { wrap } from '../../shared/wrap.ts'
import type { ShellContext, SlashCommand } from '../context.ts'
import { serverPrompts } from '../server-prompts.ts'
import { call, completeCall } from './call.ts'
import { helpLines, type HelpRow } from './help-lines.ts'
import { completeMcp, MCP_COMMANDS, runMcp } from './mcp.ts'
import { tools } from './offers.ts'
import { completeDeclared, completeRunning } from './servers.ts'
import { demo, model, permissions, pins, plan, trust } from './session.ts'

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
    name: 'trust',
    usage: '[show | folder | approve | decline | reset | list] …',
    summary: 'what servers of this project would run, which may, and whether yours may start in it',
    run: trust,
    complete: async (context, words) =>
      words.length <= 1
        ? ['show', 'folder', 'approve', 'decline', 'reset', 'list']
        : completeDeclared(context),
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

function showHelp(context: ShellContext, of: 'all' | 'mcp'): void {
  const toRows = (table: readonly SlashCommand[], before: string): readonly HelpRow[] =>
    table.map(({ name, aliases = [], usage = '', summary }) => ({
      usage: `${before}${[name, ...aliases].join('|')} ${usage}`.trim(),
      summary,
    }))
  const prompts = serverPrompts(context.board).map(({ command, description = '' }) => ({
    usage: `/${command}`,
    summary: description.split('\n', 1)[0]!,
  }))
  const rows = of === 'mcp' ? toRows(MCP_COMMANDS, '/mcp ') : [...toRows(SLASH_COMMANDS, '/'), ...prompts]
  context.print(helpLines(rows, context))
  if (of === 'all') context.print(['', ...ELSE.flatMap((line) => wrap(line, context.columns()))])
}

const ELSE = [
  'everything else goes to the model; @server:uri attaches a resource',
  'Tab completes · Alt-Enter or \\ begins a new line · Esc stops · Ctrl-O shows results whole · Ctrl-C twice quits',
]
