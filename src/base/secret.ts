/**
 * secret: a value that can be used but not shown.
 *
 * Printing, concatenating or serialising a Secret gives `‹secret›`; only `reveal()` gives the value, so every
 * place where a secret leaves can be found by searching for that word.
 */
export const SECRET_MARK = '‹secret›'

export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return SECRET_MARK
  }

  toJSON(): string {
    return SECRET_MARK
  }

  /** `console.log` and `util.inspect` ask for this one by its registered symbol. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SECRET_MARK
  }
}
