/**
 * commands: the command tree, as data. Parsing, help and completion all read it; the work is imported when it runs.
 */
import { BUILTIN_NAMES } from '../../model/builtin.ts'
import type { Command, Flag } from './command.ts'

/** Commands that share most of what they load are imported together, when one of them runs. */
const calling = () => import('./groups/calling.ts')
const changing = () => import('./groups/changing.ts')
const diagnosing = () => import('./groups/diagnosing.ts')
const permitting = () => import('./groups/permitting.ts')
const reading = () => import('./groups/reading.ts')
const serving = () => import('./groups/serving.ts')
const signingIn = () => import('./groups/signing-in.ts')

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

/** For scripts: what must be ready, and by when. */
const READY_FLAGS: readonly Flag[] = [
  { name: 'wait', summary: 'wait for every server, and fail when one of them is not ready' },
  { name: 'deadline', value: 'ms', summary: 'wait no longer than this' },
]

/** For what a gateway that runs can do. */
const ALONE_FLAG: Flag = {
  name: 'alone',
  summary: 'start servers for this run, whether or not a gateway runs that has them',
}

/** For a rule that is written. */
const RULE_FLAGS: readonly Flag[] = [
  { name: 'scope', value: 'scope', summary: 'whose settings: user (the default), local or project' },
  { name: 'reason', value: 'text', summary: 'shown to whoever meets the rule' },
]

const SCOPE_FLAG: Flag = {
  name: 'scope',
  short: 's',
  value: 'scope',
  values: ['user', 'local', 'project'],
  summary:
    'whose it is: user (the default), local (you, in this project) or project (everybody who works on it)',
}

/** Where two of them have a server. */
const WHICH_SCOPE_FLAG: Flag = {
  ...SCOPE_FLAG,
  summary: 'which one, where several have it: user, local (you, in this project) or project',
}

const SWITCH_SCOPE_FLAG: Flag = {
  ...SCOPE_FLAG,
  values: ['user', 'local'],
  summary: 'whose settings say so: user (the default) or local (you, in this project)',
}

/** For what ends in a server that is added. */
const ADD_FLAGS: readonly Flag[] = [SCOPE_FLAG, { name: 'no-check', summary: 'do not connect to it' }]

const ENV_FLAG: Flag = {
  name: 'env',
  short: 'e',
  value: 'NAME=value',
  isRepeatable: true,
  // No name of a server has a `=`, and no program to start either, as far as anybody knows.
  goesOn: /^[A-Za-z_]\w*=/,
  summary: 'a variable of a server to start; may be given more than once',
}

const CLIENT_SECRET_FLAG: Flag = {
  name: 'client-secret',
  summary: 'ask for the secret of its OAuth client, or take it from `MCP_CLIENT_SECRET`',
}

const REGISTRY_FLAG: Flag = {
  name: 'registry',
  value: 'url',
  summary: 'another registry than the official one, or than that of the setting `registry`',
}

/** Who may come in, and what is seen of it. */
const SERVE_FLAGS: readonly Flag[] = [
  {
    name: 'audit',
    value: 'file',
    summary: 'write down who called what, and what became of it, as lines of JSON',
  },
  { name: 'audit-arguments', summary: 'with the arguments of calls; what looks like a secret is left out' },
  {
    name: 'rate-limit',
    value: 'n/s or n/m',
    summary: 'how often one client may ask, or `off`; the default is 100/s where others can come in',
  },
  {
    name: 'drain-timeout',
    value: 'seconds',
    summary: 'how long calls may take to finish after SIGTERM; 10 by default',
  },
  {
    name: 'lame-duck',
    value: 'seconds',
    summary:
      'how long it goes on after SIGTERM while /readyz says no; 5 by default where others can come in, else 0',
  },
  {
    name: 'tls-cert',
    value: 'file',
    summary: 'HTTPS, with this certificate (PEM); read again when it changes',
  },
  { name: 'tls-key', value: 'file', summary: 'the key of the certificate' },
  {
    name: 'allowed-host',
    value: 'name',
    isRepeatable: true,
    summary: 'a name that clients may use for this machine; may be given more than once',
  },
  {
    name: 'auth-issuer',
    value: 'url',
    summary: 'let in who has a token of this OAuth issuer, in place of the token of this gateway',
  },
  {
    name: 'auth-audience',
    value: 'text',
    isRepeatable: true,
    summary: 'what such a token may be made for, besides the address of this gateway',
  },
  { name: 'public-url', value: 'url', summary: 'the address under which clients know this gateway' },
  {
    name: 'dangerously-serve-without-tls',
    summary: 'to other machines, although everything can be read on the way',
  },
]

const DRY_RUN_FLAG: Flag = { name: 'dry-run', summary: 'write nothing, and show what would change' }

const YES_FLAG: Flag = { name: 'yes', short: 'y', summary: 'do not ask' }

export const PLUGBOARD: Command = {
  name: 'plugboard',
  summary: 'every MCP server you have configured, anywhere, and what became of each one',
  arguments: [],
  flags: [],
  examples: ['plugboard list --all', 'plugboard explain github', 'plugboard doctor'],
  commands: [
    {
      name: 'list',
      summary: 'show the servers, their fates and how they were last seen; starts nothing',
      arguments: [],
      flags: [
        { name: 'all', summary: 'also show what is shadowed, disabled or left out' },
        { name: 'check', summary: 'connect to all of them and show what comes of it' },
        ALONE_FLAG,
      ],
      examples: ['plugboard list', 'plugboard list --all', 'plugboard list --check'],
      load: async () => (await reading()).list,
    },
    {
      name: 'get',
      summary: 'show everything about one server, secrets masked',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [],
      examples: ['plugboard get github'],
      load: async () => (await reading()).get,
    },
    {
      name: 'explain',
      summary: 'show every declaration of a name, highest first, and why each won or lost',
      arguments: [{ name: 'server', count: 'optional' }],
      flags: [],
      examples: ['plugboard explain github', 'plugboard explain'],
      load: async () => (await reading()).explain,
    },
    {
      name: 'test',
      summary: 'connect to one server and show each stage with its time, and what failed',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [],
      examples: ['plugboard test github'],
      load: async () => (await calling()).test,
    },
    {
      name: 'tools',
      summary: 'show the tools of one server, or of all',
      arguments: [{ name: 'server', count: 'optional' }],
      flags: [
        { name: 'schema', summary: 'show what each tool takes' },
        {
          name: 'provider',
          value: 'name',
          summary:
            'as that provider takes them: anthropic, openai, openai-strict, gemini, moonshot or none (as the server sent them)',
        },
        ...READY_FLAGS,
        ALONE_FLAG,
      ],
      examples: [
        'plugboard tools',
        'plugboard tools github --schema',
        'plugboard tools --provider gemini',
        'plugboard tools --wait --deadline 5000 --json',
      ],
      load: async () => (await calling()).tools,
    },
    {
      name: 'call',
      summary: 'call a tool of a server, or a built-in one, and print what it answers',
      arguments: [
        { name: 'server', count: 'one', alone: BUILTIN_NAMES },
        { name: 'tool', count: 'one' },
        { name: 'k=v', count: 'any' },
      ],
      flags: [
        {
          name: 'args',
          value: 'JSON, @file or -',
          summary: 'the arguments as a JSON object, from a file or from stdin; k=v goes on top',
        },
        { name: 'timeout', value: 'ms', summary: 'give up after so long, progress or not; 0 is never' },
        {
          name: 'output',
          value: 'text, json or raw',
          summary: 'text (default); json, as --json; or raw, all that the server sent',
        },
        { name: 'save-media', value: 'folder', summary: 'write images and audio there' },
        ALONE_FLAG,
      ],
      examples: [
        'plugboard call github add_labels issue=7 labels=bug',
        'plugboard call files read path:=\'"a.txt"\' --output json',
        'plugboard call github create_issue --args @issue.json',
        'plugboard call listMcpResources server=docs',
      ],
      load: async () => (await calling()).call,
    },
    {
      name: 'run',
      summary: 'let a model answer a prompt, with the tools of your servers',
      arguments: [{ name: 'prompt', count: 'any' }],
      flags: [
        {
          name: 'allow',
          value: 'tool',
          isRepeatable: true,
          summary: 'tools that need no permission in this run, `mcp__x__*` say; may be given more than once',
        },
        { name: 'plan', summary: 'call no tool of any server' },
        { name: 'model', value: 'provider/id', summary: 'the model, instead of the configured one' },
        ...READY_FLAGS,
      ],
      examples: [
        "plugboard run 'what changed?' --allow 'mcp__git__*'",
        'git diff | plugboard run "review this:" -',
      ],
      load: (hosts) => hosts.headless(),
    },
    {
      name: 'shell',
      summary:
        'open a session with a model, your servers live in it; what `plugboard` alone does on a terminal',
      arguments: [],
      flags: [
        { name: 'plan', summary: 'call no tool of any server' },
        { name: 'model', value: 'provider/id', summary: 'the model, instead of the configured one' },
      ],
      examples: ['plugboard', 'plugboard shell --plan'],
      load: (hosts) => hosts.shell(),
    },
    {
      name: 'demo',
      summary: 'a bundled server to try things out with: notes in a scratch folder',
      arguments: [],
      flags: [{ name: 'stdio', summary: 'serve it, for the MCP client that starts this command' }],
      examples: ['plugboard demo', 'plugboard add demo -- plugboard demo --stdio'],
      load: (hosts) => hosts.demo(),
    },
    {
      name: 'resources',
      summary: 'show what one server, or all, have to read',
      arguments: [{ name: 'server', count: 'optional' }],
      flags: [...READY_FLAGS, ALONE_FLAG],
      examples: ['plugboard resources', 'plugboard resources docs'],
      load: async () => (await calling()).resources,
    },
    {
      name: 'read',
      summary: 'print one resource of a server',
      arguments: [
        { name: 'server', count: 'one' },
        { name: 'uri', count: 'one', missing: 'the URI of a resource' },
        { name: 'k=v', count: 'any' },
      ],
      flags: [ALONE_FLAG],
      examples: [
        'plugboard read docs file:///guide.md',
        "plugboard read docs 'file:///{path}' path=guide.md",
      ],
      load: async () => (await calling()).read,
    },
    {
      name: 'prompts',
      summary: 'show the prompts of one server, or of all',
      arguments: [{ name: 'server', count: 'optional' }],
      flags: [...READY_FLAGS, ALONE_FLAG],
      examples: ['plugboard prompts'],
      load: async () => (await calling()).prompts,
    },
    {
      name: 'prompt',
      summary: 'print one prompt of a server, filled in',
      arguments: [
        { name: 'server', count: 'one' },
        { name: 'prompt', count: 'one' },
        { name: 'k=v', count: 'any' },
      ],
      flags: [ALONE_FLAG],
      examples: ['plugboard prompt github review pr=42'],
      load: async () => (await calling()).prompt,
    },
    {
      name: 'login',
      summary: 'sign in to a server that asks for it, in a browser or without one',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [
        { name: 'no-browser', summary: 'open none here: print the page, and take the address it ends at' },
        { name: 'device', summary: 'by a code that you type in on another device, where that is offered' },
        {
          name: 'scope',
          value: 'scope',
          isRepeatable: true,
          summary: 'ask for this, and not for what the server names; may be given more than once',
        },
        {
          name: 'timeout',
          value: 'ms',
          summary: 'give up after so long; default 300000 (5 minutes), 0 is never',
        },
        {
          name: 'token-file',
          value: 'file',
          summary: 'take a token that was got elsewhere, or the JSON of a token endpoint; - reads stdin',
        },
        {
          name: 'credential',
          value: 'id',
          summary: 'keep the token under this name, for entries that ask for it with `auth.credentialId`',
        },
      ],
      examples: [
        'plugboard login linear',
        'plugboard login linear --no-browser',
        'plugboard login linear --device',
        'plugboard login linear --token-file - < token.json',
        'plugboard login deploy --credential deploy-token',
      ],
      load: async () => (await signingIn()).login,
    },
    {
      name: 'logout',
      summary: 'sign out of a server: take its tokens back where that can be done, and forget them',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [],
      examples: [
        'plugboard logout linear',
        'plugboard logout https://mcp.linear.app/mcp',
        'plugboard logout deploy-token',
      ],
      load: async () => (await signingIn()).logout,
    },
    {
      name: 'auth',
      summary: 'see who is signed in where',
      arguments: [],
      flags: [],
      examples: ['plugboard auth status'],
      commands: [
        {
          name: 'status',
          summary: 'show who is signed in where, until when, for what, and where that is kept; asks nobody',
          arguments: [],
          flags: [],
          examples: ['plugboard auth status', 'plugboard auth status --json'],
          load: async () => (await signingIn()).authStatus,
        },
      ],
    },
    {
      name: 'logs',
      summary: 'show what a server wrote to stderr, and how it came and went',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [
        { name: 'follow', short: 'f', summary: 'stay, and show what is added; with --json an object a line' },
        { name: 'lines', short: 'n', value: 'count', summary: 'how many of the last lines; default 100' },
      ],
      examples: ['plugboard logs github', 'plugboard logs github -f', 'plugboard logs github -f --json'],
      load: async () => (await calling()).logs,
    },
    {
      name: 'sources',
      summary: 'show every place that is looked at, and what was found there',
      arguments: [],
      flags: [],
      examples: ['plugboard sources'],
      load: async () => (await reading()).sources,
    },
    {
      name: 'watch',
      summary: 'stay, and show what changes in the configuration; starts nothing',
      arguments: [],
      flags: [],
      examples: ['plugboard watch', 'plugboard watch --json'],
      load: async () => (await diagnosing()).watch,
    },
    {
      name: 'serve',
      summary: 'every server behind one endpoint, for any MCP client',
      arguments: [],
      flags: [
        {
          name: 'stdio',
          summary: 'for the agent that starts this command; through the gateway that runs, when one does',
        },
        {
          name: 'http',
          value: '[host:]port',
          summary:
            'at /mcp, and each server at /mcp/<server>; 127.0.0.1 unless said otherwise, port 0 is any',
        },
        {
          name: 'daemon',
          summary:
            'in the background, for everything of yours on this machine: agents, and this command itself',
        },
        ALONE_FLAG,
        {
          name: 'foreground',
          summary: 'with --daemon: not in the background, for whoever looks after processes',
        },
        ...SERVE_FLAGS,
      ],
      examples: [
        'plugboard serve --stdio',
        'plugboard serve --http 7777',
        'plugboard serve --daemon',
        'plugboard serve --daemon --http 7777',
        'plugboard serve --http 7777 --audit audit.jsonl',
      ],
      load: async () => (await serving()).serve,
    },
    {
      name: 'status',
      summary: 'show whether a gateway runs in the background, and how its servers are',
      arguments: [],
      flags: [],
      examples: ['plugboard status', 'plugboard status --json'],
      load: async () => (await serving()).status,
    },
    {
      name: 'stop',
      summary: 'end the gateway that runs in the background, and its servers',
      arguments: [],
      flags: [],
      examples: ['plugboard stop'],
      load: async () => (await serving()).stop,
    },
    {
      name: 'token',
      summary: 'further tokens for clients of the gateway over HTTP, each with a name, and perhaps a project',
      arguments: [],
      flags: [],
      examples: ['plugboard token add --project .', 'plugboard token remove shop'],
      commands: [
        {
          name: 'list',
          summary: 'show the names of tokens, what each is for, and since when',
          arguments: [],
          flags: [],
          examples: ['plugboard token', 'plugboard token list --json'],
          load: async () => (await serving()).listTokens,
        },
        {
          name: 'add',
          summary: 'make one and show it, once; it is good at once, also for a gateway that runs',
          arguments: [{ name: 'name', count: 'optional' }],
          flags: [
            {
              name: 'project',
              value: 'folder',
              summary:
                'whoever shows it sees what is configured and approved there; default: what you have everywhere',
            },
          ],
          examples: ['plugboard token add ci', 'plugboard token add --project ~/work/shop'],
          load: async () => (await serving()).addToken,
        },
        {
          name: 'remove',
          aliases: ['rm'],
          summary: 'take tokens back; a gateway that runs lets in nobody with them any more',
          arguments: [{ name: 'token', count: 'some' }],
          flags: [],
          examples: ['plugboard token remove shop'],
          load: async () => (await serving()).removeToken,
        },
      ],
    },
    {
      name: 'doctor',
      summary: 'look for what is wrong and say how to mend it',
      arguments: [],
      flags: [{ name: 'run', summary: 'also run commands and fetch what the checks need' }],
      examples: ['plugboard doctor', 'plugboard doctor --run'],
      load: async () => (await diagnosing()).doctor,
    },
    {
      name: 'add',
      summary: 'add a server: a command that starts it, or an address; alone, it asks',
      arguments: [
        { name: 'name', count: 'optional' },
        { name: 'command or url', count: 'any' },
      ],
      flags: [
        ...ADD_FLAGS,
        {
          name: 'transport',
          short: 't',
          value: 'type',
          values: ['stdio', 'http', 'sse', 'ws'],
          summary: 'stdio, http, sse or ws; default: a command is stdio, an address is asked',
        },
        { name: 'url', value: 'url', summary: 'the address of a server to reach' },
        { name: 'http', summary: 'the same as --transport http' },
        {
          name: 'header',
          short: 'H',
          value: 'Name: value',
          isRepeatable: true,
          goesOn: /^[\w-]+:\s/,
          summary: 'sent with every request; may be given more than once',
        },
        { name: 'token', value: 'token', summary: 'sent as a bearer token; `${NAME}` for a variable' },
        { name: 'client-id', value: 'id', summary: 'the OAuth client that you registered for it' },
        CLIENT_SECRET_FLAG,
        {
          name: 'callback-port',
          value: 'port',
          summary: 'the port of the redirect address that you registered',
        },
        ENV_FLAG,
        { name: 'cwd', value: 'folder', summary: 'where a server is started' },
      ],
      examples: [
        'plugboard add files -- npx -y @acme/files ~/notes',
        "plugboard add git -e TOKEN='${TOKEN}' npx -y @acme/git",
        'plugboard add sentry https://mcp.example.com/mcp',
        'plugboard add -t http shop https://shop.example/mcp',
      ],
      // Flags after the command are the command's; after an address they are ours.
      endsFlags: ([, target]) => target !== undefined && !/^\w+:\/\//.test(target),
      load: async () => (await changing()).add,
    },
    {
      name: 'add-json',
      summary: 'add a server whose entry is given as JSON, or as - on stdin',
      arguments: [
        { name: 'name', count: 'one', missing: 'a name for the server' },
        { name: 'json', count: 'one', missing: 'the JSON of a server' },
      ],
      flags: [...ADD_FLAGS, CLIENT_SECRET_FLAG],
      examples: [`plugboard add-json files '{"command":"npx"}'`],
      load: async () => (await changing()).addJson,
    },
    {
      name: 'search',
      summary: 'look for servers in an MCP registry',
      arguments: [{ name: 'word', count: 'some', missing: 'a word to look for' }],
      flags: [REGISTRY_FLAG, { name: 'limit', value: 'count', summary: 'how many at most; default 20' }],
      examples: ['plugboard search weather', 'plugboard search postgres sql --limit 50'],
      load: async () => (await changing()).search,
    },
    {
      name: 'install',
      summary: 'add a server from an MCP registry, after showing all that it would run',
      arguments: [{ name: 'server of the registry', count: 'one' }],
      flags: [
        ...ADD_FLAGS,
        {
          name: 'name',
          value: 'name',
          summary: 'what it is called here; default: the last part of its name',
        },
        {
          name: 'using',
          value: 'kind',
          values: ['npm', 'pypi', 'oci', 'nuget', 'remote'],
          summary: 'as which package, or remote; default: it asks, or takes the first',
        },
        ENV_FLAG,
        YES_FLAG,
        REGISTRY_FLAG,
      ],
      examples: ['plugboard install io.github.acme/weather', 'plugboard install weather@1.2.0 --using npm'],
      load: async () => (await changing()).install,
    },
    {
      name: 'add-from',
      summary: 'add a server as another agent has it, and try it',
      arguments: [
        { name: 'agent', count: 'one' },
        { name: 'server', count: 'one' },
      ],
      flags: [...ADD_FLAGS, YES_FLAG],
      examples: ['plugboard add-from cursor github'],
      load: async () => (await changing()).addFrom,
    },
    {
      name: 'remove',
      aliases: ['rm'],
      summary: 'take a server out of a file of yours',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [WHICH_SCOPE_FLAG, YES_FLAG],
      examples: ['plugboard remove files', 'plugboard rm files --scope project --yes'],
      load: async () => (await changing()).remove,
    },
    {
      name: 'rename',
      summary: 'give a server in a file of yours another name',
      arguments: [
        { name: 'server', count: 'one' },
        { name: 'new name', count: 'one', missing: 'a new name' },
      ],
      flags: [WHICH_SCOPE_FLAG],
      examples: ['plugboard rename files notes'],
      load: async () => (await changing()).rename,
    },
    {
      name: 'enable',
      summary: 'let a server run again that is off, whoever declares it',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [SWITCH_SCOPE_FLAG],
      examples: ['plugboard enable github'],
      load: async () => (await changing()).enable,
    },
    {
      name: 'disable',
      summary: 'keep a server from running, whoever declares it',
      arguments: [{ name: 'server', count: 'one' }],
      flags: [SWITCH_SCOPE_FLAG],
      examples: ['plugboard disable github', 'plugboard disable github --scope local'],
      load: async () => (await changing()).disable,
    },
    {
      name: 'edit',
      summary: 'open a file of yours in an editor, and take over what can be understood',
      arguments: [],
      flags: [SCOPE_FLAG],
      examples: ['plugboard edit', 'plugboard edit --scope project'],
      load: async () => (await changing()).edit,
    },
    {
      name: 'import',
      summary: 'copy servers of another agent into a file of yours; the agent keeps them',
      arguments: [
        { name: 'agent', count: 'one' },
        { name: 'server', count: 'any' },
      ],
      flags: [{ name: 'all', summary: 'every server of the agent' }, SCOPE_FLAG, DRY_RUN_FLAG, YES_FLAG],
      examples: [
        'plugboard import cursor',
        'plugboard import codex figma --dry-run',
        'plugboard import claude-desktop --all',
      ],
      load: async () => (await changing()).importServers,
    },
    {
      name: 'export',
      summary: 'copy servers into the file of another agent: those named, or all of your own file',
      arguments: [
        { name: 'agent', count: 'one' },
        { name: 'server', count: 'any' },
      ],
      flags: [SCOPE_FLAG, DRY_RUN_FLAG, YES_FLAG],
      examples: ['plugboard export codex --dry-run', 'plugboard export vscode github --scope project'],
      load: async () => (await changing()).exportServers,
    },
    {
      name: 'connect',
      summary: 'write the gateway into the file of another agent, after showing the change',
      arguments: [{ name: 'agent', count: 'one' }],
      flags: [SCOPE_FLAG, DRY_RUN_FLAG, YES_FLAG],
      examples: ['plugboard connect cursor --dry-run', 'plugboard connect codex'],
      load: async () => (await changing()).connect,
    },
    {
      name: 'disconnect',
      summary: 'take the gateway out of the file of another agent, which is then as it was before',
      arguments: [{ name: 'agent', count: 'one' }],
      flags: [SCOPE_FLAG],
      examples: ['plugboard disconnect cursor'],
      load: async () => (await changing()).disconnect,
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
          load: async () => (await reading()).listApprovals,
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
          load: async () => (await reading()).approve,
        },
        {
          name: 'decline',
          summary: 'keep servers of this project from running',
          arguments: [{ name: 'server', count: 'some' }],
          flags: [],
          examples: ['plugboard trust decline github'],
          load: async () => (await reading()).decline,
        },
        {
          name: 'reset',
          summary: 'forget what was decided, so that it is asked again',
          arguments: [{ name: 'server', count: 'any' }],
          flags: [{ name: 'all', summary: 'every decision about this project' }],
          examples: ['plugboard trust reset github', 'plugboard trust reset --all'],
          load: async () => (await reading()).resetTrust,
        },
      ],
    },
    {
      name: 'permissions',
      summary: 'decide which tools may be called, and by whose word',
      arguments: [],
      flags: [],
      examples: ['plugboard permissions allow mcp__github__get_issue'],
      commands: [
        {
          name: 'list',
          summary: 'show the mode, every rule in force, and what is always allowed',
          arguments: [],
          flags: [],
          examples: ['plugboard permissions', 'plugboard permissions list --json'],
          load: async () => (await permitting()).list,
        },
        {
          name: 'allow',
          summary: 'write a rule that allows tools',
          arguments: [{ name: 'tool', count: 'some' }],
          flags: RULE_FLAGS,
          examples: ["plugboard permissions allow 'mcp__github__get_*'"],
          load: async () => (await permitting()).allow,
        },
        {
          name: 'ask',
          summary: 'write a rule that has a person asked about tools',
          arguments: [{ name: 'tool', count: 'some' }],
          flags: RULE_FLAGS,
          examples: ['plugboard permissions ask mcp__shop --scope project'],
          load: async () => (await permitting()).ask,
        },
        {
          name: 'deny',
          summary: 'write a rule that denies tools, to everybody and in every mode',
          arguments: [{ name: 'tool', count: 'some' }],
          flags: RULE_FLAGS,
          examples: ["plugboard permissions deny 'mcp__*__delete_*'"],
          load: async () => (await permitting()).deny,
        },
        {
          name: 'reset',
          summary: 'remove rules and permissions of yours, so that it is asked again',
          arguments: [{ name: 'tool', count: 'any' }],
          flags: [
            { name: 'all', summary: 'everything of yours' },
            { name: 'scope', value: 'scope', summary: 'rules of user, local or project settings alone' },
          ],
          examples: ['plugboard permissions reset mcp__github', 'plugboard permissions reset --all'],
          load: async () => (await permitting()).reset,
        },
        {
          name: 'explain',
          summary: 'show whether a tool may be called, and everything that was considered',
          arguments: [{ name: 'tool', count: 'one' }],
          flags: [],
          examples: ['plugboard permissions explain mcp__github__delete_repo'],
          load: async () => (await permitting()).explain,
        },
      ],
    },
    {
      name: 'pins',
      summary: 'look at tools that are not what you approved',
      arguments: [],
      flags: [],
      examples: ['plugboard pins diff'],
      commands: [
        {
          name: 'list',
          summary: 'show the tools that were approved, and whether they are still the same',
          arguments: [],
          flags: [],
          examples: ['plugboard pins'],
          load: async () => (await permitting()).pins,
        },
        {
          name: 'diff',
          summary: 'show what changed in them',
          arguments: [{ name: 'tool', count: 'any' }],
          flags: [],
          examples: ['plugboard pins diff', 'plugboard pins diff mcp__github__get_issue'],
          load: async () => (await permitting()).diff,
        },
        {
          name: 'accept',
          summary: 'approve them as they are now',
          arguments: [{ name: 'tool', count: 'any' }],
          flags: [{ name: 'all', summary: 'every tool that changed' }],
          examples: ['plugboard pins accept mcp__github__get_issue'],
          load: async () => (await permitting()).accept,
        },
        {
          name: 'forget',
          summary: 'forget that they were approved, so that they are approved anew',
          arguments: [{ name: 'tool', count: 'any' }],
          flags: [{ name: 'all', summary: 'every tool that was approved' }],
          examples: ['plugboard pins forget mcp__github__get_issue', 'plugboard pins forget --all'],
          load: async () => (await permitting()).forget,
        },
      ],
    },
    {
      name: 'completion',
      summary: 'print the script that completes lines in a shell, with servers, tools and their arguments',
      arguments: [{ name: 'shell', count: 'one', values: ['bash', 'zsh', 'fish', 'powershell'] }],
      flags: [],
      examples: ['plugboard completion bash', 'plugboard completion powershell'],
      load: async () => (await reading()).completion,
    },
  ],
}
