/**
 * problems: what can be wrong with a command line.
 */
import { findNearest } from '../../base/edit-distance.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'

/** `path` is the command so far, `plugboard trust`. */
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

export function unwantedValue(flag: string): Problem {
  return createProblem({
    code: 'cli/unwanted-value',
    message: `\`${flag}\` takes no value`,
    hints: [`write \`${flag}\` by itself`],
  })
}

export function missingArgument(path: string, argument: string, usage: string): Problem {
  return createProblem({
    code: 'cli/missing-argument',
    message: `\`${path}\` needs the name of a ${argument}`,
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

function didYouMean(word: string, known: readonly string[]): string[] {
  const nearest = findNearest(word, known)
  return nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]
}

export function badNumber(flag: string, unit: string, given: string): Problem {
  return createProblem({
    code: 'cli/bad-number',
    message: `\`--${flag}\` must be a number of ${unit}, but is \`${given}\``,
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

export function badPair(given: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `\`${given}\` is not of the form name=value`,
  })
}
