/**
 * id-table: entries that come and go by the thousand, each under a numeric id of its own.
 *
 * in     an entry; later its id, or what a peer says is one
 * out    the entry, for as long as it is there
 * never  keeps an entry that was taken; gives an id twice
 *
 * Why not a Map or a Set: V8 makes their table anew every few dozen changes, and the old table points to the new one. Once
 * one table has lived for long, it keeps all that follow, with everything that was ever in them, until the next full
 * collection. With a Map, a call took a third longer.
 */
export class IdTable<T extends object> {
  /**
   * A power of two slots, at most four times as many as there ever were entries at once; few again when it is empty. The
   * last bits of an id are the number of its slot.
   */
  #slots: (T | undefined)[] = EMPTY
  #ids: number[] = NO_IDS
  #last = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Gives its id. */
  add(entry: T): number {
    if (this.#size * 2 >= this.#slots.length) this.#resize(this.#slots.length * 2)
    do this.#last += 1
    while (this.#slots[this.#slotOf(this.#last)] !== undefined)
    this.#put(entry, this.#last)
    this.#size += 1
    return this.#last
  }

  get(id: unknown): T | undefined {
    if (typeof id !== 'number') return undefined
    const slot = this.#slotOf(id)
    return this.#ids[slot] === id ? this.#slots[slot] : undefined
  }

  /** Removes the entry and gives it. */
  take(id: unknown): T | undefined {
    const entry = this.get(id)
    if (entry === undefined) return undefined
    this.#slots[this.#slotOf(id as number)] = undefined
    this.#size -= 1
    if (this.#size === 0 && this.#slots.length > MANY) this.#resize(FEW)
    return entry
  }

  /** A copy, in the order in which they came: it stays as it is while entries come and go. */
  all(): readonly T[] {
    const ids = this.#ids.filter((_, slot) => this.#slots[slot] !== undefined)
    return ids.sort((a, b) => a - b).map((id) => this.get(id)!)
  }

  #slotOf(id: number): number {
    return id & (this.#slots.length - 1)
  }

  #put(entry: T, id: number): void {
    const slot = this.#slotOf(id)
    this.#slots[slot] = entry
    this.#ids[slot] = id
  }

  /** No two entries that had slots of their own come to share one where there are more of them. */
  #resize(length: number): void {
    const [slots, ids] = [this.#slots, this.#ids]
    this.#slots = Array.from<undefined>({ length: Math.max(length, FEW) })
    this.#ids = Array.from({ length: this.#slots.length }, () => 0)
    for (const [slot, entry] of slots.entries()) if (entry !== undefined) this.#put(entry, ids[slot]!)
  }
}

const FEW = 8
const MANY = 1024

/** Until something comes: most tables never have anything. */
const EMPTY: never[] = []
const NO_IDS: number[] = []
