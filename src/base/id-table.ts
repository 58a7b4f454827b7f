/**
 * id-table: entries that are added and removed by the thousand, each under its own numeric id.
 *
 * in     an entry; later its id, or a value that a peer sends as an id
 * out    the entry, while it is in the table
 * never  keeps an entry that was removed; uses an id twice
 *
 * Why not a Map or a Set: V8 rebuilds their table every few dozen changes, and the old table points to the new one.
 * Once one table has survived for long, it keeps alive all later ones, with every entry they ever held, until the next
 * full collection. With a Map, a call took a third longer.
 */
export class IdTable<T extends object> {
  /**
   * A power of two slots, at most four times the highest number of entries; a few again when it is empty. The last bits
   * of an id are the number of its slot.
   */
  #slots: (T | undefined)[] = EMPTY
  #ids: number[] = NO_IDS
  #last = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns its id. */
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

  /** Removes the entry and returns it. */
  take(id: unknown): T | undefined {
    const entry = this.get(id)
    if (entry === undefined) return undefined
    this.#slots[this.#slotOf(id as number)] = undefined
    this.#size -= 1
    if (this.#size === 0 && this.#slots.length > MANY) this.#resize(FEW)
    return entry
  }

  /** A copy, in the order of adding: it does not change when entries come and go. */
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

  /** Entries in different slots stay in different slots when the table grows. */
  #resize(length: number): void {
    const [slots, ids] = [this.#slots, this.#ids]
    this.#slots = Array.from<undefined>({ length: Math.max(length, FEW) })
    this.#ids = Array.from({ length: this.#slots.length }, () => 0)
    for (const [slot, entry] of slots.entries()) if (entry !== undefined) this.#put(entry, ids[slot]!)
  }
}

const FEW = 8
const MANY = 1024

/** Used until the first entry: most tables never have one. */
const EMPTY: never[] = []
const NO_IDS: number[] = []
