/**
 * commands: everything that can be typed behind a slash, as data. Help and completion read it, too.
 */
import type { ShellContext, SlashCommand } from '../context.ts'
import { call, completeCall } from './call.ts'
import { runCommandLine } from './command-line.ts'
import { auth, logout, reauth, reconnect } from './connections.ts'
import { list } from './list.ts'
import { add, addJson, disable, enable, remove } from './manage.ts'
import { prompts, resources, tools } from './offers.ts'
import { completeDeclared, completeRunning, reload } from './servers.ts'
import { demo, model, permissions, pins, plan } from './session.ts'

/** A command of `plugboard` that has the same name and only looks. */
const asCommand =
  (name: string) =>
  async (context: ShellContext, words: readonly string[]): Promise<void> =>
    void (await runCommandLine(context, [name, ...words]))

/** Behind `/mcp`. The first is the one that runs when none is named. */
export const MCP: readonly SlashCommand[] = [
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
    run: (context) => reload(context, 'nothing changed'),
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

export const SLASH: readonly SlashCommand[] = [
  { name: 'mcp', usage: '[command]', summary: 'the servers of this session (/help mcp)', run: list },
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
