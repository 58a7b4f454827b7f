/**
 * commands: what can be typed behind a slash, as data.
 */
import type { ShellContext, SlashCommand } from '../context.ts'

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    summary: 'show all commands',
    run: async (context) => showHelp(context),
  },
  {
    name: 'plan',
    summary: 'call no tool of any server, or any again',
    run: async ({ mode, note }) => {
      await mode.set(mode.get() === 'plan' ? 'default' : 'plan')
      note(`${mode.get()} mode`)
    },
  },
  {
    name: 'clear',
    summary: 'forget the conversation',
    run: async ({ clear }) => clear(),
  },
  {
    name: 'quit',
    aliases: ['exit'],
    summary: 'leave the shell',
    run: async ({ quit }) => quit(),
  },
]

function showHelp({ print, paint }: ShellContext): void {
  const width = Math.max(...SLASH_COMMANDS.map(({ name }) => name.length))
  print(SLASH_COMMANDS.map(({ name, summary }) => `${paint.cyan(`/${name.padEnd(width)}`)}  ${summary}`))
}
