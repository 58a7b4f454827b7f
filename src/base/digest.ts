/**
 * digest: whether two JSON values are the same, in a few characters.
 *
 * in     a value from JSON
 * out    14 digits; the order of keys does not count. Fast, and no protection against one who wants two values to collide
 * never  makes a text of the value, which may be megabytes; goes deeper than any value of use
 */
export function digest(value: unknown): string {
  const hash = new Hash()
  add(hash, value, 0)
  return hash.finish()
}

/** What lies deeper counts as the same. */
const MAX_DEPTH = 100

function add(hash: Hash, value: unknown, depth: number): void {
  if (typeof value === 'string') hash.add(value)
  else if (typeof value !== 'object' || value === null) hash.add(String(value))
  else if (depth === MAX_DEPTH) hash.mark(1)
  else if (Array.isArray(value)) {
    hash.mark(2)
    for (const item of value as readonly unknown[]) add(hash, item, depth + 1)
    hash.mark(3)
  } else {
    hash.mark(4)
    const fields = value as Readonly<Record<string, unknown>>
    for (const key of Object.keys(fields).sort()) {
      hash.add(key)
      add(hash, fields[key], depth + 1)
    }
    hash.mark(5)
  }
  hash.mark(typeof value === 'string' ? 6 : 7)
}

/** Two halves of 32 bits, each stirred with another prime: `cyrb53`. */
class Hash {
  #a = 0xdeadbeef
  #b = 0x41c6ce57

  add(text: string): void {
    let [a, b] = [this.#a, this.#b]
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, 2_654_435_761)
      b = Math.imul(b ^ unit, 1_597_334_677)
    }
    this.#a = a
    this.#b = b
  }

  /** What no character can be, so that `["ab"]` and `["a", "b"]` are two values. */
  mark(kind: number): void {
    this.#a = Math.imul(this.#a ^ (0x1_0000 + kind), 2_654_435_761)
    this.#b = Math.imul(this.#b ^ (0x1_0000 + kind), 1_597_334_677)
  }

  finish(): string {
    const stir = (x: number, y: number): number =>
      Math.imul(x ^ (x >>> 16), 2_246_822_507) ^ Math.imul(y ^ (y >>> 13), 3_266_489_909)
    const a = stir(this.#a, this.#b) >>> 0
    const b = stir(this.#b, a) >>> 0
    return a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0').slice(0, 6)
  }
}
