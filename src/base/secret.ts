/**
 * secret: a value that can be used but not shown.
 *
 * Printing, concatenating or serialising a Secret gives `‹secret›`. Only `reveal()` gives the value, so a search for
 * that word finds every place where a secret leaves.
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

  /** `console.log` and `util.inspect` call this method by its registered symbol. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SECRET_MARK
  }
}

/**
 * The last secrets that were created, oldest first. An unexpected error may quote any of them, and no caller is left
 * that knows them. Only in a process whose crashes Plugboard reports itself; in a host's own process there is no list.
 * It is found by a symbol, because each part of the built command has a copy of this file.
 */
const RECENT = Symbol.for('plugboard.recent-secrets')
const shared = globalThis as { [RECENT]?: Set<string> }

const REMEMBERED = 1000

/** From now on, in the whole process. */
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
