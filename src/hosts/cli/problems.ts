/**
 * problems: the faults that a command line can have.
 */
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import type { Argument } from './command.ts'
import { didYouMean } from '../shared/did-you-mean.ts'

/** `path` is the command up to here, `plugboard trust`. */
export function unknownCommand(word: string, path: string, known: readonly string[]): Problem {
  return createProblem({
    code: 'cli/unknown-command',
    message: `\`${path}\` has no command \`${word}\``,
    hints: [...didYouMean(word, known), `to see every command, run \`${path} --help\``],
  })
}

export function unknownFlag(flag: string, path: string, known: readonly string[]): Problem {
  return createProblem({
    code: 'cli/unknown-flag',
    message: `\`${path}\` has no flag \`${flag}\``,
    hints: [...didYouMean(flag, known), `to see every flag, run \`${path} --help\``],
  })
}

export function missingValue(flag: string, value: string): Problem {
  return createProblem({
    code: 'cli/missing-value',
    message: `\`${flag}\` needs a value: ${value}`,
    hints: [`write \`${flag} <${value}>\`, or \`${flag}=<${value}>\` for a value that begins with \`-\``],
  })
}

export function conflictingFlags(one: string, other: string): Problem {
  return createProblem({
    code: 'cli/conflicting-flags',
    message: `\`${one}\` and \`${other}\` do not go together`,
    hints: ['leave one of them out'],
  })
}

export function unwantedValue(flag: string): Problem {
  return createProblem({
    code: 'cli/unwanted-value',
    message: `\`${flag}\` takes no value`,
    hints: [`write \`${flag}\` by itself`],
  })
}

export function missingArgument(path: string, { name, missing }: Argument, usage: string): Problem {
  return createProblem({
    code: 'cli/missing-argument',
    message: `\`${path}\` needs ${missing ?? `the name of ${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`}`,
    hints: [`write \`${usage}\``],
  })
}

export function tooManyArguments(path: string, extra: string, usage: string): Problem {
  return createProblem({
    code: 'cli/too-many-arguments',
    message: `\`${path}\` has no use for \`${extra}\``,
    hints: [`write \`${usage}\``],
  })
}

export function badNumber(flag: string, unit: string, given: string): Problem {
  return createProblem({
    code: 'cli/bad-number',
    message: `\`--${flag}\` must be a number of ${unit}, but is \`${given}\``,
  })
}

export function badPort(flag: string, given: string): Problem {
  return createProblem({
    code: 'cli/bad-number',
    message: `\`--${flag}\` must be a port, a number from 1 to 65535, but is \`${given}\``,
  })
}

export function unknownProvider(given: string, known: readonly string[]): Problem {
  const hints = didYouMean(given, known)
  return createProblem({
    code: 'cli/unknown-provider',
    message: `there is no provider \`${given}\``,
    hints: hints.length > 0 ? hints : [`one of: ${known.join(', ')}`],
  })
}

/** A value for a variable that the URI template does not have. */
export function unknownVariable(name: string, template: string, known: readonly string[]): Problem {
  const message =
    known.length === 0
      ? `\`${template}\` has no variables to fill in`
      : `\`${template}\` has no variable \`${name}\``
  return createProblem({ code: 'cli/bad-argument', message, hints: didYouMean(name, known) })
}

export function emptyVariable(name: string, template: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `\`${template}\` is a template, and \`${name}\` is not filled in`,
    hints: [`add \`${name}=…\` to the command`],
  })
}

export function noObject(where: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `${where} must be a JSON object, with the name of each argument and its value`,
  })
}

export function unreadableFile(file: string): Problem {
  return createProblem({
    code: 'cli/unreadable-file',
    message: `\`${file}\` cannot be read`,
    where: { file },
  })
}

export function unknownShell(given: string, known: readonly string[]): Problem {
  return createProblem({
    code: 'cli/unknown-shell',
    message: `there is no completion for \`${given}\``,
    hints: [...didYouMean(given, known), `one of: ${known.join(', ')}`],
  })
}

export const badHeader = createProblem({
  code: 'cli/bad-argument',
  // The text is not repeated: it may be a secret in the wrong form.
  message: 'a header is not of the form `Name: value`',
  hints: ["write `--header 'Authorization: Bearer …'`"],
})

export function openQuote(quote: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `nothing closes a ${quote} in the command`,
    hints: ['write the words of the command one by one: `plugboard add <name> -- <command…>`'],
  })
}

export function badChoice(flag: string, given: string, choices: readonly string[]): Problem {
  return createProblem({
    code: 'cli/bad-choice',
    message: `\`--${flag}\` must be one of ${choices.join(', ')}, but is \`${given}\``,
    hints: didYouMean(given, choices),
  })
}

export function oneWayToServe(): Problem {
  return createProblem({
    code: 'cli/one-way-to-serve',
    message: 'say how to serve: `--stdio` or `--http [host:]port`',
    hints: [
      'for an agent that starts it: `plugboard serve --stdio`',
      'for any number of them: `plugboard serve --http 7777`',
      'for everything of yours on this machine, in the background: `plugboard serve --daemon`',
    ],
  })
}

export function notForDaemon(flag: string): Problem {
  return createProblem({
    code: 'cli/not-for-daemon',
    message: `\`--daemon\` and \`${flag}\` do not go together`,
    notes: ['a gateway in the background serves what is configured, for each client in its own folder'],
    hints: ['to have a server everywhere, add it: `plugboard add <name> -- <command…>`'],
  })
}

export function daemonDied(log: string): Problem {
  return createProblem({
    code: 'serve/daemon-died',
    message: 'the gateway ended before it was ready',
    where: { file: log },
    hints: ['look into its log', 'to see what it says, run `plugboard serve --daemon --foreground`'],
  })
}

export function noDaemonLog(log: string, { message }: Error): Problem {
  return createProblem({
    code: 'serve/no-socket',
    message: 'the gateway cannot run in the background: its log cannot be written',
    where: { file: log },
    notes: [message],
    hints: ['make sure that the folder is one, and that you may write there'],
  })
}

export function badAddress(given: string): Problem {
  return createProblem({
    code: 'cli/bad-address',
    message: `\`--http\` takes \`[host:]port\`, not \`${given}\``,
    notes: ['the host is an address, and the port at most 65535'],
    hints: ['on any port that is free: `plugboard serve --http 0`'],
  })
}

export function notLoopback(host: string): Problem {
  return createProblem({
    code: 'serve/not-loopback',
    message: `\`${host}\` can be reached from other machines, and what is sent there can be read on the way`,
    notes: ['without a certificate, the gateway serves this machine alone: 127.0.0.1 or ::1'],
    hints: [
      'to serve others, give it a certificate: `--tls-cert <file> --tls-key <file>`',
      'to reach it from elsewhere yourself, use a tunnel: `ssh -L 7777:127.0.0.1:7777 <machine>`',
      'behind something that does TLS already: `--dangerously-serve-without-tls`',
    ],
  })
}

export function halfTls(): Problem {
  return createProblem({
    code: 'serve/half-tls',
    message: 'a certificate is of use only together with its key',
    hints: ['give both: `--tls-cert <file> --tls-key <file>`'],
  })
}

export function unreadableTls(file: string, why: string): Problem {
  return createProblem({
    code: 'serve/tls-file',
    message: `the file for TLS ${why}`,
    where: { file },
    hints: [
      '`--tls-cert` and `--tls-key` take files in PEM: they hold lines like `-----BEGIN CERTIFICATE-----`',
    ],
  })
}

export function badFlag(flag: string, given: string, expected: string): Problem {
  return createProblem({
    code: 'cli/bad-flag',
    message: `\`--${flag}\` must be ${expected}, not \`${given}\``,
  })
}
