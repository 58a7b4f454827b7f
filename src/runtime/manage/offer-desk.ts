/**
 * offer-desk: the texts of a registry → text with gaps, and the inputs for the gaps.
 *
 * never  accepts a text that one of our files would run as a command, or fill with a variable
 */
import { Unusable, type Gapped, type OfferInput, type Piece } from './offer.ts'
import type { Input, NamedInput, RegistryArgument } from './registry-server.ts'

/** Collects the inputs while the parts of an offer are made. */
export interface OfferContext {
  readonly inputs: OfferInput[]
  /** The words of one argument. Empty for an argument that is not needed. */
  argument(argument: RegistryArgument): readonly Gapped[]
  /** Variables or headers that have a value or are needed. */
  pairs(named: readonly NamedInput[], isName: RegExp): readonly (readonly [string, Gapped])[]
  /** A text with `{variables}`. */
  template(label: string, text: string, variables: ReadonlyMap<string, Input>): Gapped
}

/** Variables without a name in the registry begin with the short name of the server. */
export function createDesk(name: string): OfferContext {
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
  const desk: OfferContext = {
    inputs,
    template(_, text, variables) {
      const pieces = text.split(/\{([A-Za-z_]\w*)\}/)
      return pieces.flatMap((piece, i): Piece[] => {
        if (i % 2 === 0) return piece === '' ? [] : [requirePlain(piece)]
        const variable = variables.get(piece)
        // As the format defines it: a piece without an explanation stands for itself.
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

/** A fixed value counts as needed, unless it has a gap that the user does not have to fill. */
function isNeededInput({ isRequired, value, variables }: Input): boolean {
  const gaps = [...variables.values()].filter((one) => one.value === undefined && one.default === undefined)
  return (
    isRequired ||
    [...variables.values()].some((one) => one.isRequired) ||
    (value !== undefined && gaps.length === 0)
  )
}

/**
 * Our files would replace a variable by its value, or run a command, and send the result to a server that the registry
 * names.
 */
function requirePlain(text: string): string {
  // A single `$`, too: it may end up before a brace.
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
