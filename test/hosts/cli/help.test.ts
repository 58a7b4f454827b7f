/**
 * help: every command has it, it fits, and it shows what the tree says.
 */
import { expect, test } from 'vitest'
import type { Command } from '../../../src/hosts/cli/command.ts'
import { PLUGBOARD } from '../../../src/hosts/cli/commands.ts'
import { helpOf } from '../../../src/hosts/cli/help.ts'
import { parseLine } from '../../../src/hosts/cli/parse.ts'
import { widthOf } from '../../../src/hosts/shared/width.ts'

function pathsBelow(path: readonly Command[]): readonly (readonly Command[])[] {
  return [path, ...(path.at(-1)!.commands ?? []).flatMap((command) => pathsBelow([...path, command]))]
}

const PATHS = pathsBelow([PLUGBOARD])

const find = (...names: string[]): readonly Command[] =>
  PATHS.find((path) => path.map(({ name }) => name).join(' ') === names.join(' '))!

test('the help of a command', () => {
  expect(helpOf(find('plugboard', 'trust', 'approve'), 80).join('\n'))
    .toBe(`plugboard trust approve: let servers of this project run; asks about each

usage: plugboard trust approve [server…] [flags]

flags:
  --all      more than one with --yes: those named, or every one that waits
  -y, --yes  do not ask; needed where there is no terminal
  --verbose  shorten nothing

flags of every command:
  --json                       print JSON
  --mcp-config <file or JSON>  servers for this run, above every file but the
                               managed one; may be given more than once
  --strict-mcp-config          use the servers of --mcp-config alone
  --no-mcp                     read no configuration at all
  -h, --help                   show help
  -V, --version                show the version

examples:
  plugboard trust approve
  plugboard trust approve github --yes`)
})

test('in a narrow terminal a summary stands below its term', () => {
  expect(helpOf(find('plugboard', 'get'), 40).slice(5, 13)).toEqual([
    'flags of every command:',
    '  --json',
    '      print JSON',
    '  --mcp-config <file or JSON>',
    '      servers for this run, above every',
    '      file but the managed one; may be',
    '      given more than once',
    '  --strict-mcp-config',
  ])
})

test.each(PATHS.map((path) => [path.map(({ name }) => name).join(' '), path] as const))(
  'the help of `%s` fits 60 columns and its examples parse',
  (_, path) => {
    expect(helpOf(path, 60).filter((line) => widthOf(line) > 60)).toEqual([])
    const { examples } = path.at(-1)!
    expect(examples.map((example) => parseLine(wordsOf(example)).kind)).toEqual(examples.map(() => 'run'))
  },
)

/** Those behind `plugboard`, without what the shell does before and after. */
function wordsOf(example: string): readonly string[] {
  return example
    .replace(/^.* \| /, '')
    .replace(/ < .*$/, '')
    .split(' ')
    .slice(1)
}
