/**
 * add-problems: why a server is not added. Messages that other agents made known are kept word for word.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { toPrintable } from '../../base/printable.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import type { Scope } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem, createWarning } from '../../problem/problem.ts'
import type { Platform } from '../../world/world.ts'

export const commandAndUrl = createProblem({
  code: 'manage/command-and-url',
  message: 'Use either --url or -- <command...>, not both.',
})

export const tokenWithoutUrl = createProblem({
  code: 'manage/token-without-url',
  message: '--token requires --url (HTTP/SSE transport).',
  hints: ['for a server to start, give it as a variable: `--env NAME=…`'],
})

export const nothingToAdd = createProblem({
  code: 'manage/nothing-to-add',
  message: 'a server to add needs a command or an address',
  hints: [
    'for one to start: `plugboard add <name> -- <command…>`',
    'for one to reach: `plugboard add <name> <url>`',
    'on a terminal, `plugboard add` alone asks for everything',
  ],
})

export const tokenAndHeader = createProblem({
  code: 'manage/token-and-header',
  message: '`--token` and the header `Authorization` say the same thing twice',
  hints: ['leave one of them out'],
})

export function transportMismatch(transport: string, given: string): Problem {
  const needs = transport === 'stdio' ? 'a command' : 'an address that begins with `https://`'
  return createProblem({
    code: 'manage/wrong-transport',
    message: `a server of type \`${transport}\` needs ${needs}, and \`${given}\` is none`,
  })
}

/** Shows the scheme alone: the rest may hold a password. */
export function unknownScheme(scheme: string): Problem {
  return createProblem({
    code: 'manage/unknown-scheme',
    message: `\`${scheme}\` begins neither a command nor an address that can be reached`,
    hints: ['the address of a server begins with `https://`, `http://`, `wss://` or `ws://`'],
  })
}

export function notForUrl(flag: string): Problem {
  return createProblem({
    code: 'manage/not-for-url',
    message: `\`--${flag}\` is for servers that are started; this one is reached`,
    hints: flag === 'env' ? ["to send something with every request: `--header 'Name: value'`"] : [],
  })
}

export function notForCommand(flag: string): Problem {
  return createProblem({
    code: 'manage/not-for-command',
    message: `\`--${flag}\` is for servers that are reached; this one is started`,
    hints: ['to give it a value: `--env NAME=value`'],
  })
}

export function noSignIn(flag: string): Problem {
  return createProblem({
    code: 'manage/no-sign-in',
    message: `\`--${flag}\` is for servers that are reached over HTTP or SSE; this one is a WebSocket`,
    hints: ['to give it a token: `--token …`'],
  })
}

export const secretWithoutClient = createProblem({
  code: 'manage/secret-without-client',
  message: '`--client-secret` needs the client it belongs to',
  hints: ['say which: `--client-id <id>`, or `"oauth": { "clientId": … }` in the JSON'],
})

export const nobodyToAsk = createProblem({
  code: 'manage/no-client-secret',
  message: 'there is nobody here who could be asked for the client secret',
  hints: ['set the variable `MCP_CLIENT_SECRET` for this one command'],
})

export function badName(name: string): Problem {
  const shown = name.length > 100 ? `${name.slice(0, 40)}…` : name
  return createProblem({
    code: 'manage/bad-name',
    message: `Invalid server config: a name is made of 1 to 100 letters, digits, \`_\`, \`.\` and \`-\`, which \`${toPrintable(shown)}\` is not`,
  })
}

/** `found`: the problems that the file with this entry would have. */
export function invalidEntry(found: readonly Problem[]): Problem {
  const [first, ...others] = found
  return createProblem({
    code: 'manage/invalid',
    message: `Invalid server config: ${first!.message}`,
    notes: others.map(({ message }) => message),
    hints: first!.hints,
  })
}

/** For a text that the user typed or pasted, and that is in no file. */
export function unparseableEntry(
  message: string,
  { line, column }: { readonly line: number; readonly column: number },
): Problem {
  return createProblem({
    code: 'manage/invalid',
    message: `Invalid server config: the JSON given does not parse: ${message} (line ${line}, column ${column})`,
    hints: ['put it between single quotes, so that your shell leaves it alone, or give it on stdin: `-`'],
  })
}

export function notAnObject(kind: string): Problem {
  return createProblem({
    code: 'manage/invalid',
    message: `Invalid server config: the JSON given must be an object, but is ${kind}`,
    hints: ['give the object of one server: `{ "command": … }` or `{ "url": … }`'],
  })
}

/** The text has several servers, and none has the wanted name. */
export function severalEntries(name: string, known: readonly string[]): Problem {
  const shown = known.map((one) => `\`${toPrintable(one)}\``).join(', ')
  return createProblem({
    code: 'manage/several',
    message: `Invalid server config: the JSON given has ${known.length === 0 ? 'no server' : 'several servers'}, and none is called \`${toPrintable(name)}\``,
    notes: known.length === 0 ? [] : [`it has: ${shown}`],
    hints: ['give the object of one server: `{ "command": … }` or `{ "url": … }`'],
  })
}

/** `shown`: the existing entry, without its values. */
export function alreadyThere(
  { name, file }: { readonly name: string; readonly file: string },
  { shown, platform }: { readonly shown: readonly string[]; readonly platform: Platform },
): Problem {
  return createProblem({
    code: 'manage/exists',
    message: `Server "${name}" already exists in ${file}`,
    notes: shown,
    hints: [
      `to put another in its place, run \`${toCommandLine('plugboard remove', [name], platform)}\` first`,
      'or give this one another name',
    ],
  })
}

export function secretInProject(fields: readonly string[]): Problem {
  return createProblem({
    code: 'manage/secret-in-project',
    message: 'this would put what looks like a secret into a file of the repository',
    notes: [`what: ${fields.join(', ')}`],
    hints: [
      'name a variable in its place, in single quotes, and set it in your shell: `${NAME}`',
      'or keep the server to yourself: `--scope local`',
    ],
  })
}

/** The entry is written, but another rule or entry keeps it from running. */
export function notInForce(name: string, { fate }: CatalogEntry, why: readonly string[]): Problem {
  return createWarning({
    code: 'manage/not-in-force',
    message: `\`${name}\` is in the file, but it does not run: it is ${fate.kind}`,
    notes: why,
    hints: [`to see every declaration of this name, run \`plugboard explain ${name}\``],
  })
}

/** The entry is written, but all servers are turned off, so no file is read now. */
export function notRead(name: string): Problem {
  return createWarning({
    code: 'manage/not-in-force',
    message: `\`${name}\` is in the file, but no file is read now: all servers are turned off`,
    hints: ['see `enabled` in your settings, and `--no-mcp`'],
  })
}

export function badScope(given: string, scopes: readonly Scope[]): Problem {
  return createProblem({
    code: 'cli/bad-scope',
    message: `there is no scope \`${given}\` to write to`,
    hints: [`one of: ${scopes.join(', ')}`],
  })
}
