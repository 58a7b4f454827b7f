/**
 * digest: reduces a JSON value to one number, to compare values.
 *
 * in     a value from JSON
 * out    a number of 53 bits; the order of keys does not count. It is fast, and no protection against an attacker who
 *        wants a collision
 * never  makes a text of the value, which may be megabytes; goes deeper, or on for longer, than any real value needs
 */
export function digest(value: unknown): number {
  const hash = new Hash()
  hash.addValue(value, 0)
  return hash.finish()
}

/** Parts that are deeper, or come later, are ignored. A value that contains itself has no end. */
const MAX_DEPTH = 100
const MAX_VALUES = 1_000_000

/** These numbers are no characters, so that `["ab"]` and `["a", "b"]` differ. */
const MARKS = {
  text: 0x1_0001,
  other: 0x1_0002,
  list: 0x1_0003,
  end: 0x1_0004,
  object: 0x1_0005,
  deep: 0x1_0006,
}

const SEEDS = [0xdeadbeef | 0, 0x41c6ce57] as const

/** Two halves of 32 bits, each mixed in another way. */
class Hash {
  #a: number = SEEDS[0]
  #b: number = SEEDS[1]
  #left = MAX_VALUES

  addValue(value: unknown, depth: number): void {
    if (this.#left-- <= 0) return
    if (typeof value === 'string') this.#addText(value, MARKS.text)
    else if (typeof value !== 'object' || value === null) this.#addText(String(value), MARKS.other)
    else if (depth === MAX_DEPTH) this.#mark(MARKS.deep)
    else if (Array.isArray(value)) {
      this.#mark(MARKS.list)
      for (const item of value as readonly unknown[]) this.addValue(item, depth + 1)
      this.#mark(MARKS.end)
    } else this.#addFields(value as Readonly<Record<string, unknown>>, depth)
  }

  /** Hashes each field by itself, then adds the hashes: a sum has no order. */
  #addFields(fields: Readonly<Record<string, unknown>>, depth: number): void {
    const [a, b] = [this.#a, this.#b]
    let [sumA, sumB] = [0, 0]
    for (const key of Object.keys(fields)) {
      this.#a = SEEDS[0]
      this.#b = SEEDS[1]
      this.#addText(key, MARKS.text)
      this.addValue(fields[key], depth + 1)
      sumA = (sumA + this.#a) | 0
      sumB = (sumB + this.#b) | 0
    }
    this.#a = stir(a, sumA)
    this.#b = stir(b, sumB)
    this.#mark(MARKS.object)
  }

  #addText(text: string, mark: number): void {
    let a = this.#a
    let b = this.#b
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, 2_654_435_761)
      b = ((b << 5) - b + unit) | 0
    }
    this.#a = a
    this.#b = b
    this.#mark(mark)
  }

  #mark(mark: number): void {
    this.#a = Math.imul(this.#a ^ mark, 2_654_435_761)
    this.#b = Math.imul(this.#b ^ mark, 1_597_334_677)
  }

  finish(): number {
    const a = stir(this.#a, this.#b)
    const b = stir(this.#b, a)
    return (b & 0x1f_ffff) * 0x1_0000_0000 + (a >>> 0)
  }
}

function stir(x: number, y: number): number {
  return Math.imul(x ^ (x >>> 16), 2_246_822_507) ^ Math.imul(y ^ (y >>> 13), 3_266_489_909)
}
