/** mcp: `/mcp` and its subcommands, as data. */
import { ProblemError } from '../../../problem/problem.ts'
import { unknownBelow } from '../agent/problems.ts'
import { findNearest } from '../../../base/edit-distance.ts'
import type { ShellContext, SlashCommand } from '../context.ts'
import { runCommandLine } from './command-line.ts'
import { auth, logout, reauth, reconnect } from './connections.ts'
import { list } from './list.ts'
import { add, addJson, disable, enable, remove } from './manage.ts'
import { prompts, resources, tools } from './offers.ts'
import { completeDeclared, completeRunning, sayReload } from './servers.ts'

/** A read-only command of `plugboard` with the same name. */
const asCommand =
  (name: string) =>
  async (context: ShellContext, words: readonly string[]): Promise<void> =>
    void (await runCommandLine(context, [name, ...words]))

/** After `/mcp`. The first runs when none is named. */
export const MCP_COMMANDS: readonly SlashCommand[] = [
  { name: 'list', summary: 'the servers, and how they are', run: list },
  { name: 'tools', usage: '[server]', summary: 'what they can do', run: tools, complete: completeRunning },
  {
    name: 'add',
    usage: '[name] [command … | url] [flags]',
    summary: 'add a server; alone, it asks',
    run: add,
  },
  { name: 'add-json', usage: '<name> <json>', summary: 'add a server whose entry is JSON', run: addJson },
  {
    name: 'remove',
    aliases: ['rm'],
    usage: '<server> [--scope scope]',
    summary: 'take a server out of its file',
    run: remove,
    complete: completeDeclared,
  },
  {
    name: 'enable',
    usage: '<server>',
    summary: 'turn a server on',
    run: enable,
    complete: completeDeclared,
  },
  {
    name: 'disable',
    usage: '<server>',
    summary: 'turn a server off',
    run: disable,
    complete: completeDeclared,
  },
  {
    name: 'test',
    usage: '<server>',
    summary: 'connect once more, beside the session, and show each stage',
    run: asCommand('test'),
    complete: completeDeclared,
  },
  {
    name: 'reconnect',
    usage: '[server]',
    summary: 'connect anew, to one or to all that are down',
    run: reconnect,
    complete: completeRunning,
  },
  {
    name: 'auth',
    aliases: ['login'],
    usage: '<server> [--no-browser | --device]',
    summary: 'sign in',
    run: auth,
    complete: completeRunning,
  },
  {
    name: 'reauth',
    usage: '<server>',
    summary: 'sign out, and in again',
    run: reauth,
    complete: completeRunning,
  },
  {
    name: 'logout',
    aliases: ['unauth'],
    usage: '<server>',
    summary: 'sign out',
    run: logout,
    complete: completeRunning,
  },
  {
    name: 'reload',
    aliases: ['refresh'],
    summary: 'read every file again, and apply what is other',
    run: async ({ board, note }) => note(sayReload(await board.reload()) ?? 'nothing changed'),
  },
  {
    name: 'resources',
    usage: '[server]',
    summary: 'what there is to read, as @server:uri',
    run: resources,
    complete: completeRunning,
  },
  { name: 'prompts', usage: '[server]', summary: 'their prompts', run: prompts, complete: completeRunning },
  {
    name: 'logs',
    usage: '<server>',
    summary: 'what a server wrote, and how it came and went',
    run: asCommand('logs'),
    complete: completeDeclared,
  },
  {
    name: 'explain',
    usage: '[server]',
    summary: 'every declaration, and why it won or lost',
    run: asCommand('explain'),
    complete: completeDeclared,
  },
]

/** Throws `shell/unknown-command`, and what the command throws. */
export async function runMcp(context: ShellContext, [word, ...rest]: readonly string[]): Promise<void> {
  const command = word === undefined ? MCP_COMMANDS[0] : findBelow(word)
  if (command === undefined) {
    const names = MCP_COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    throw new ProblemError(unknownBelow(word!, findNearest(word!, names)))
  }
  await command.run(context, rest)
}

export async function completeMcp(
  context: ShellContext,
  [word, ...rest]: readonly string[],
): Promise<readonly string[]> {
  if (rest.length === 0) return MCP_COMMANDS.map(({ name }) => name)
  return (await findBelow(word!)?.complete?.(context, rest)) ?? []
}

function findBelow(word: string): SlashCommand | undefined {
  return MCP_COMMANDS.find(({ name, aliases }) => name === word || aliases?.includes(word) === true)
}
