/**
 * usage: the usage line of a command, with its arguments and flags.
 */
import type { Argument, Command, Flag } from './command.ts'

/** `plugboard trust approve [server…] [flags]`; the path leads from the program down to the command. */
export function usageOf(path: readonly Command[]): string {
  const command = path.at(-1)!
  const words = command.commands === undefined ? command.arguments.map(showArgument) : ['[command]']
  return [...path.map(({ name }) => name), ...words, '[flags]'].join(' ')
}

export function showFlag({ name, short, value }: Flag): string {
  const spelled = short === undefined ? `--${name}` : `-${short}, --${name}`
  return value === undefined ? spelled : `${spelled} <${value}>`
}

function showArgument({ name, count }: Argument): string {
  return { one: `<${name}>`, optional: `[${name}]`, some: `<${name}…>`, any: `[${name}…]` }[count]
}
