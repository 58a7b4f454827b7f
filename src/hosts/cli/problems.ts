/**
 * problems: what can be wrong with a command line, or with us.
 */
import { findNearest } from '../../base/edit-distance.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import { countOf } from '../shared/amounts.ts'
import { showOwner, showSpot, type Here } from '../shared/show-path.ts'

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

export function unknownServer(name: string, catalog: Catalog, here: Here): Problem {
  const names = [...new Set(catalog.entries.map(({ entry }) => entry.found.name))]
  const files = new Set(catalog.entries.map(({ entry }) => entry.found.origin.file))
  const nearest = findNearest(name, names)
  const origin = catalog.entries.find(({ entry }) => entry.found.name === nearest)?.entry.found.origin
  const place = origin && [showOwner(origin), showSpot({ file: origin.file, line: origin.line }, here)]
  return createProblem({
    code: 'cli/unknown-server',
    message: `no server is named \`${name}\``,
    notes: [`looked at ${countOf(names.length, 'server')} in ${countOf(files.size, 'file')}`],
    hints: [
      ...(place === undefined ? [] : [`did you mean \`${nearest}\`? (${place.join(', ')})`]),
      'to see every server and the file it came from, run `plugboard list --all`',
    ],
  })
}

export function bug(details: readonly string[]): Problem {
  return createProblem({
    code: 'cli/bug',
    message: 'this is a bug in Plugboard, not in your configuration',
    notes: details,
    hints: ['please report it, with the lines above and the command you ran'],
  })
}

function didYouMean(word: string, known: readonly string[]): string[] {
  const nearest = findNearest(word, known)
  return nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]
}
