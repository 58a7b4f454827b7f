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
 * The last that were made, oldest first, in a process whose crashes are ours to report: an error that nobody expected may
 * quote any of them, and no caller is left who knows what they were. By a symbol that all parts of the built command share,
 * each of which has a copy of this file. In a process of somebody else there is none.
 */
const RECENT = Symbol.for('plugboard.recent-secrets')
const shared = globalThis as { [RECENT]?: Set<string> }

const REMEMBERED = 1000

/** From now on, in all of this process. */
export function rememberSecrets(): void {
  shared[RECENT] ??= new Set()
}

export function recentSecrets(): readonly Secret[] {
  return [...(shared[RECENT] ?? [])].map((value) => new Secret(value))
}

function remember(value: string): void {
  const recent = shared[RECENT]
  if (recent === undefined) return
  recent.delete(value)
  recent.add(value)
  if (recent.size > REMEMBERED) recent.delete(recent.values().next().value!)
}
