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
    remember(value)
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

/**
 * The last that were made, oldest first. A crash ends the whole process and may quote any of them, so they are kept for the
 * whole process, and only where its crashes are ours to report: not in that of a host.
 */
let recent: Set<string> | undefined

const REMEMBERED = 1000

/** From now on, in all of this process. */
export function rememberSecrets(): void {
  recent ??= new Set()
}

export function recentSecrets(): readonly Secret[] {
  return [...(recent ?? [])].map((value) => new Secret(value))
}

function remember(value: string): void {
  if (recent === undefined) return
  recent.delete(value)
  recent.add(value)
  if (recent.size > REMEMBERED) recent.delete(recent.values().next().value!)
}
