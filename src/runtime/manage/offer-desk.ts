/**
 * offer-desk: the words of a registry → text with gaps, and what to ask for those.
 *
 * never  lets a text through that a file of ours would run, or put a variable into
 */
import { Unusable, type Gapped, type OfferInput, type Piece } from './offer.ts'
import type { Input, NamedInput, RegistryArgument } from './registry-server.ts'

/** Where inputs are gathered while the parts of an offer are made. */
export interface Desk {
  readonly inputs: OfferInput[]
  /** The words of one argument; none for one that is not needed. */
  argument(argument: RegistryArgument): readonly Gapped[]
  /** Variables or headers that are fixed or needed. */
  pairs(named: readonly NamedInput[], isName: RegExp): readonly (readonly [string, Gapped])[]
  /** A text with `{variables}`. */
  template(label: string, text: string, variables: ReadonlyMap<string, Input>): Gapped
}

/** By the short name of the server, which variables that nobody named begin with. */
export function createDesk(name: string): Desk {
  const inputs: OfferInput[] = []
  const prefix = toVariable(name)
  const ask = (label: string, input: Input, variable = `${prefix}_${toVariable(label)}`): Piece => {
    const id = `${inputs.length}`
    const { description, isSecret, choices, example } = input
    for (const text of [input.default ?? '', ...choices]) requirePlain(text)
    inputs.push({
      id,
      label,
      isSecret,
      choices,
      variable,
      ...(description === undefined ? {} : { description }),
      ...(input.default === undefined ? {} : { default: input.default }),
      ...(example === undefined ? {} : { example }),
    })
    return { id }
  }
  const desk: Desk = {
    inputs,
    template(_, text, variables) {
      const pieces = text.split(/\{([A-Za-z_]\w*)\}/)
      return pieces.flatMap((piece, i): Piece[] => {
        if (i % 2 === 0) return piece === '' ? [] : [requirePlain(piece)]
        const variable = variables.get(piece)
        // As the format has it: what is not explained stands for itself.
        if (variable === undefined) return [`{${piece}}`]
        if (variable.value !== undefined) return [requirePlain(variable.value)]
        const isAsked = variable.isRequired || variable.default === undefined
        return [isAsked ? ask(piece, variable) : requirePlain(variable.default!)]
      })
    },
    argument(argument) {
      const { flag, value, label } = argument
      if (!isNeededInput(argument)) return []
      if (flag !== undefined && !/^--?[\w][\w.-]*$/.test(flag)) throw new Unusable('one of its flags is none')
      const own =
        value === undefined
          ? [ask(label ?? 'argument', argument)]
          : desk.template(label ?? '', value, argument.variables)
      if (flag === undefined) return [own]
      return own.length === 0 ? [[flag]] : [[flag], own]
    },
    pairs: (named, isName) =>
      named.flatMap((input): readonly (readonly [string, Gapped])[] => {
        const { name, value } = input
        if (!isName.test(name)) throw new Unusable('a variable or header of it has no proper name')
        if (!isNeededInput(input)) return []
        if (value !== undefined) return [[name, desk.template(name, value, input.variables)]]
        return [[name, [ask(name, input, isVariable(name) ? name : undefined)]]]
      }),
  }
  return desk
}

/** What is fixed counts as needed, unless there is a gap in it that nobody has to fill. */
function isNeededInput({ isRequired, value, variables }: Input): boolean {
  const gaps = [...variables.values()].filter((one) => one.value === undefined && one.default === undefined)
  return (
    isRequired ||
    [...variables.values()].some((one) => one.isRequired) ||
    (value !== undefined && gaps.length === 0)
  )
}

/** Our files would put the value of a variable in, or run a command, and hand it to whoever the registry names. */
function requirePlain(text: string): string {
  // Alone, too: it may come to stand before a brace.
  if (text.includes('$'))
    throw new Unusable('it has a value that Plugboard would read as a variable of yours')
  if (text.startsWith('!')) throw new Unusable('it has a value that Plugboard would run as a command')
  if (/\p{Cc}/u.test(text)) throw new Unusable('it has a value with control characters')
  return text
}

export function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name)
}

function toVariable(label: string): string {
  const name = label
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  return /^[A-Z]/.test(name) ? name : `X_${name}`
}
