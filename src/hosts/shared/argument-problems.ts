/**
 * argument-problems: the faults that a `key=value` argument can have.
 */
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import { didYouMean } from './did-you-mean.ts'

export function badPair(given: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `\`${given}\` is not of the form name=value`,
  })
}

export function badJson(where: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `${where} is not JSON`,
    hints: ['quote it as a whole, so that your shell leaves it alone: `--args \'{"name": "value"}\'`'],
  })
}

export function losesDigits(number: string): Problem {
  const shown = number.length > 60 ? `${number.slice(0, 60)}…` : number
  return createProblem({
    code: 'cli/bad-argument',
    message: `\`${shown}\` cannot be sent as a number: it would become another one on the way`,
    hints: ['if the tool takes text there, put it into quotes within the JSON: `name:=\'"123"\'`'],
  })
}

export function givenTwice(name: string): Problem {
  return createProblem({
    code: 'cli/bad-argument',
    message: `\`${name}\` is given more than once, and takes one value`,
  })
}

export function unknownArgument(name: string, tool: string, known: readonly string[]): Problem {
  return createProblem({
    code: 'cli/unknown-argument',
    message: `\`${tool}\` has no argument \`${name}\``,
    notes: [`it has: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`],
    hints: [...didYouMean(name, known), 'to send it all the same, put it into `--args`'],
  })
}
