/**
 * commands: the command tree, as data. Parsing, help and completion all read it; the work is imported when it runs.
 */
import type { Command, Flag } from './command.ts'

export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'json', summary: 'print JSON' },
  {
    name: 'mcp-config',
    value: 'file or JSON',
    isRepeatable: true,
    summary: 'servers for this run, above every file but the managed one; may be given more than once',
  },
  { name: 'strict-mcp-config', summary: 'use the servers of --mcp-config alone' },
  { name: 'no-mcp', summary: 'read no configuration at all' },
  { name: 'help', short: 'h', summary: 'show help' },
  { name: 'version', short: 'V', summary: 'show the version' },
]

export const PLUGBOARD: Command = {
  name: 'plugboard',
  summary: 'every MCP server you have configured, anywhere, and what became of each one',
  arguments: [],
  flags: [],
  examples: ['plugboard list --all', 'plugboard explain github', 'plugboard doctor'],
  commands: [
    {
      name: 'list',
      summary: 'show the servers and what became of them; starts nothing and asks nothing',
      arguments: [],
      flags: [{ name: 'all', summary: 'also show what is shadowed, disabled or left out' }],
      examples: ['plugboard list', 'plugboard list --all', 'plugboard list --json'],
      load: () => import('./commands/list.ts'),
    },
    {
      name: 'get',
      summary: 'show everything about one server, secrets masked',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [],
      examples: ['plugboard get github'],
      load: () => import('./commands/get.ts'),
    },
    {
      name: 'explain',
      summary: 'show every declaration of a name, highest first, and why each won or lost',
      arguments: [{ name: 'server', count: 'optional' }],
      flags: [],
      examples: ['plugboard explain github', 'plugboard explain'],
      load: () => import('./commands/explain.ts'),
    },
    {
      name: 'sources',
      summary: 'show every place that is looked at, and what was found there',
      arguments: [],
      flags: [],
      examples: ['plugboard sources'],
      load: () => import('./commands/sources.ts'),
    },
    {
      name: 'doctor',
      summary: 'look for what is wrong and say how to mend it',
      arguments: [],
      flags: [{ name: 'run', summary: 'also run commands and fetch what the checks need' }],
      examples: ['plugboard doctor', 'plugboard doctor --run'],
      load: () => import('./commands/doctor.ts'),
    },
    {
      name: 'trust',
      summary: 'decide which servers of a project may run',
      arguments: [],
      flags: [],
      examples: ['plugboard trust approve github'],
      commands: [
        {
          name: 'list',
          summary: 'show what was decided, in every project',
          arguments: [],
          flags: [],
          examples: ['plugboard trust list'],
          load: () => import('./commands/trust/list.ts'),
        },
        {
          name: 'approve',
          summary: 'let servers of this project run',
          arguments: [{ name: 'server', count: 'any' }],
          flags: [
            { name: 'all', summary: 'every server that waits for approval' },
            { name: 'yes', short: 'y', summary: 'do not ask' },
          ],
          examples: ['plugboard trust approve', 'plugboard trust approve github --yes'],
          load: () => import('./commands/trust/approve.ts'),
        },
        {
          name: 'decline',
          summary: 'keep servers of this project from running',
          arguments: [{ name: 'server', count: 'some' }],
          flags: [],
          examples: ['plugboard trust decline github'],
          load: () => import('./commands/trust/decline.ts'),
        },
        {
          name: 'reset',
          summary: 'forget what was decided, so that it is asked again',
          arguments: [{ name: 'server', count: 'any' }],
          flags: [{ name: 'all', summary: 'every decision about this project' }],
          examples: ['plugboard trust reset github', 'plugboard trust reset --all'],
          load: () => import('./commands/trust/reset.ts'),
        },
      ],
    },
  ],
}
