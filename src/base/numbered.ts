/**
 * numbered: things that come and go by the thousand, each under a number of its own.
 *
 * in     a thing; later its number, or what somebody else says is one
 * out    the thing, for as long as it is there
 * never  keeps what was taken; gives a number twice
 *
 * Not a Map or a Set. V8 makes their table anew every few dozen comings and goings, and the old one points to the new
 * one: once one of them has lived for long, it keeps all that follow, and everything that was ever in them, until the
 * whole heap is searched. A call took a third longer for it.
 */
export class Numbered<T extends object> {
  /**
   * A power of two of them, at most four times as many as there ever were things at once; few again when there is none.
   * Each thing has its place by the last bits of its number.
   */
  #places: (T | undefined)[] = EMPTY
  #numbers: number[] = NO_NUMBERS
  #last = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Gives its number. */
  add(thing: T): number {
    if (this.#size * 2 >= this.#places.length) this.#resize(this.#places.length * 2)
    do this.#last += 1
    while (this.#places[this.#placeOf(this.#last)] !== undefined)
    this.#put(thing, this.#last)
    this.#size += 1
    return this.#last
  }

  get(number: unknown): T | undefined {
    if (typeof number !== 'number') return undefined
    const place = this.#placeOf(number)
    return this.#numbers[place] === number ? this.#places[place] : undefined
  }

  /** What is taken is not there any more. */
  take(number: unknown): T | undefined {
    const thing = this.get(number)
    if (thing === undefined) return undefined
    this.#places[this.#placeOf(number as number)] = undefined
    this.#size -= 1
    if (this.#size === 0 && this.#places.length > MANY) this.#resize(FEW)
    return thing
  }

  /** Those that are there now, in the order in which they came: not what comes or goes while somebody looks at them. */
  all(): readonly T[] {
    const numbers = this.#numbers.filter((_, place) => this.#places[place] !== undefined)
    return numbers.sort((a, b) => a - b).map((number) => this.get(number)!)
  }

  #placeOf(number: number): number {
    return number & (this.#places.length - 1)
  }

  #put(thing: T, number: number): void {
    const place = this.#placeOf(number)
    this.#places[place] = thing
    this.#numbers[place] = number
  }

  /** No two that had places of their own come to share one where there are more of them. */
  #resize(length: number): void {
    const [places, numbers] = [this.#places, this.#numbers]
    this.#places = Array.from<undefined>({ length: Math.max(length, FEW) })
    this.#numbers = Array.from({ length: this.#places.length }, () => 0)
    for (const [place, thing] of places.entries()) if (thing !== undefined) this.#put(thing, numbers[place]!)
  }
}

const FEW = 8
const MANY = 1024

/** Until something comes: most never have anything. */
const EMPTY: never[] = []
const NO_NUMBERS: number[] = []
