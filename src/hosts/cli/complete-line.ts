/**
 * complete-line: suggests completions for the last word of a line that the user is typing.
 *
 * in     the words after `plugboard`, the last as far as it is typed; what is known of servers
 * out    suggestions that begin with it, or the request for a file name
 * never  suggests a word that a shell would interpret: names come from files and from servers
 */
import { SOURCE_TITLES } from '../../model/origin.ts'
import type { ArgumentSuggestion, Completions, Suggestion } from '../../runtime/completions.ts'
import type { Command, Flag } from './command.ts'
import { GLOBAL_FLAGS } from './commands.ts'
import { findCommand, spellingsOf, splitLine } from './parse.ts'

export type Completed =
  | { readonly kind: 'words'; readonly suggestions: readonly Suggestion[] }
  | { readonly kind: 'files' }

const FILES: Completed = { kind: 'files' }

export function completeLine(words: readonly string[], known: Completions): Completed {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { positional, flags, isOver } = splitLine(before)
  const { path, rest, stray } = findCommand(positional)
  const command = path.at(-1)!
  if (stray !== undefined) return only([], typed)
  const open = flags.at(-1)
  const isOpen = open?.flag?.value !== undefined && open.value === undefined && before.at(-1) === open.spelled
  if (isOpen && !isOver) return completeValue(open.flag!, typed)
  if (!isOver && typed.startsWith('-')) return completeFlag(command, typed)
  if (command.commands !== undefined) return only(commandsOf(command), typed)
  return completeArgument({ command, rest, typed }, known)
}

function commandsOf({ commands = [] }: Command): readonly Suggestion[] {
  return commands.map(({ name, summary }) => ({ word: name, about: summary }))
}

function completeFlag(command: Command, typed: string): Completed {
  const flags = [...command.flags, ...GLOBAL_FLAGS]
  const [, spelled, value] = /^(--[\w-]+)=(.*)$/s.exec(typed) ?? []
  if (spelled !== undefined) {
    const flag = flags.find((one) => spellingsOf(one).includes(spelled))
    const values = flag?.values ?? []
    return only(
      values.map((one) => ({ word: `${spelled}=${one}`, about: '' })),
      `${spelled}=${value}`,
    )
  }
  return only(
    flags.flatMap((flag) => spellingsOf(flag).map((word) => ({ word, about: flag.summary }))),
    typed,
  )
}

function completeValue({ values = [], value = '' }: Flag, typed: string): Completed {
  if (values.length === 0 && /file|folder/.test(value)) return FILES
  return only(
    values.map((word) => ({ word, about: '' })),
    typed,
  )
}

interface LinePosition {
  readonly command: Command
  /** The arguments before the current one. */
  readonly rest: readonly string[]
  readonly typed: string
}

function completeArgument({ command, rest, typed }: LinePosition, known: Completions): Completed {
  const argument = command.arguments[Math.min(rest.length, command.arguments.length - 1)]
  const isRoom =
    rest.length < command.arguments.length || argument?.count === 'any' || argument?.count === 'some'
  if (argument === undefined || !isRoom) return only([], typed)
  const [server = '', name = ''] = rest
  const others = new Set(argument.count === 'any' || argument.count === 'some' ? rest : [])
  const fresh = (all: readonly Suggestion[]): Completed =>
    only(
      all.filter(({ word }) => !others.has(word)),
      typed,
    )
  switch (argument.name) {
    case 'server':
      return fresh(known.servers())
    case 'tool':
      return command.name === 'call' ? only(known.tools(server), typed) : fresh(known.toolNames())
    case 'token':
      return fresh(known.tokens())
    case 'prompt':
      return only(known.prompts(server), typed)
    case 'agent':
      return only(
        Object.entries(SOURCE_TITLES)
          .filter(([source]) => source !== 'plugboard' && source !== 'agent-plugins')
          .map(([word, about]) => ({ word, about })),
        typed,
      )
    case 'k=v':
      return completePair(
        command.name === 'prompt' ? known.promptArguments(server, name) : known.toolArguments(server, name),
        { rest: rest.slice(2), typed },
      )
    case 'command or url':
      return FILES
    default:
      return only(
        (argument.values ?? []).map((word) => ({ word, about: '' })),
        typed,
      )
  }
}

function completePair(
  all: readonly ArgumentSuggestion[],
  { rest, typed }: { readonly rest: readonly string[]; readonly typed: string },
): Completed {
  const at = typed.indexOf('=')
  if (at !== -1) {
    const name = typed.slice(0, at)
    const values = all.find(({ word }) => word === name)?.values ?? []
    return only(
      values.map((value) => ({ word: `${name}=${value}`, about: '' })),
      typed,
    )
  }
  const given = new Set(rest.map((pair) => pair.split(/:?=/)[0]))
  const open = all.filter(({ word }) => !given.has(word))
  return only(
    open.map(({ word, about }) => ({ word: `${word}=`, about })),
    typed,
  )
}

/** More suggestions do not help: the next letter reduces them. */
const MOST = 500

function only(all: readonly Suggestion[], typed: string): Completed {
  // A word that begins with a dash would be a flag.
  const isSafe = (word: string): boolean =>
    /^[\w@%+=:,./-]+$/.test(word) && (!word.startsWith('-') || typed.startsWith('-'))
  return {
    kind: 'words',
    suggestions: all.filter(({ word }) => word.startsWith(typed) && isSafe(word)).slice(0, MOST),
  }
}
