/**
 * pattern-cost: how long a regular expression of a server may take, at worst.
 *
 * A tool's schema comes from its server, and a pattern that backtracks without end would stop the whole host. So every
 * choice in it is counted as if all of them had to be tried: an estimate from above, by reading it once.
 *
 * in     a pattern, known to compile
 * out    how often the length of the text, and how often two, are multiplied; infinite where choices are repeated
 */
export interface Cost {
  /** The length of the text to this power, … */
  readonly power: number
  /** … times two to this one. */
  readonly bits: number
}

/** What a person would not notice: some hundredths of a second. */
const BUDGET_BITS = 22

export function isCheap({ power, bits }: Cost, length: number): boolean {
  return power * Math.log2(Math.max(2, length)) + bits <= BUDGET_BITS
}

export function costOf(pattern: string): Cost {
  /** Whether each group that is open, the outermost first, has a choice in it. */
  const open = [false]
  // One that may begin anywhere is tried everywhere.
  let power = pattern.startsWith('^') ? 0 : 1
  let bits = 0
  const choose = (): void => void open.fill(true)
  /** Whether what ends here had a choice in it; only then can repeating it be worse than repeating a character. */
  let endedWithChoice: boolean = false
  for (const token of tokensOf(pattern)) {
    const hadChoice: boolean = endedWithChoice
    endedWithChoice = false
    if (token.startsWith('(')) open.push(false)
    else if (token === ')') endedWithChoice = open.pop() ?? false
    else if (token === '|') {
      bits += 1
      choose()
    } else if (isBackReference(token)) power += 1
    else if (isQuantifier(token)) {
      const [least, most] = timesOf(token)
      if (most > 1 && hadChoice) return { power: Infinity, bits }
      endedWithChoice = hadChoice
      if (least === most) continue
      choose()
      if (most === Infinity) power += 1
      else bits += Math.log2(most - least + 1)
    }
  }
  return { power, bits }
}

/** Classes and escapes whole, openings of groups with what follows the `?`, quantifiers. */
function tokensOf(pattern: string): readonly string[] {
  return (
    pattern.match(
      /\\k<[^>]*>|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\{\d+(?:,\d*)?\}\??|[*+?]\??|[^]/gu,
    ) ?? []
  )
}

function isBackReference(token: string): boolean {
  return /^\\(?:[1-9]|k<)/.test(token)
}

function isQuantifier(token: string): boolean {
  return /^(?:[*+?]|\{\d)/.test(token)
}

function timesOf(token: string): readonly [least: number, most: number] {
  if (token.startsWith('?')) return [0, 1]
  const range = /^\{(\d+)(,?)(\d*)\}/.exec(token)
  if (range === null) return [0, Infinity]
  const [, least, comma, most] = range as unknown as [string, string, string, string]
  return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)]
}
