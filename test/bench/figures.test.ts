/** How the page of benchmarks reads samples: what it calls ahead, level and behind. */
import { describe, expect, it } from 'vitest'

/** The benchmarks are scripts without types. */
interface Figures {
  keptOf(samples: Samples): readonly number[]
  ranking(found: object): readonly (readonly string[])[]
  tally(found: object, kind: 'node' | 'native'): object
}

type Samples = readonly number[]

const FIGURES = new URL('../../bench/peers/figures.mjs', import.meta.url).href
const { keptOf, ranking, tally } = (await import(FIGURES)) as Figures

/** One headline of which less is better, and one of which more is. */
function resultsOf({ ms, rate }: Record<'ms' | 'rate', Record<string, Samples>>): object {
  const rows = (metric: string, by: Record<string, Samples>): object =>
    Object.fromEntries(Object.entries(by).map(([id, samples]) => [id, { [metric]: keptOf(samples) }]))
  return { w4: { data: { ready: rows('ready ms', ms), stdio: rows('calls/s @32', rate) } } }
}

describe('what is kept of samples', () => {
  it('is their median, and how far it may be off', () => {
    // Quartiles of 1 to 5 are 2 and 4: 1.58 × 2 / √5.
    expect(keptOf([5, 1, 4, 2, 3])).toEqual([3, 1.413])
  })

  it('is the middle of two, of which nobody knows how far it may be off', () => {
    expect(keptOf([10, 20])).toEqual([15])
  })

  it('leaves out what could not be measured', () => {
    expect(keptOf([7, Number.NaN, 7, 7])).toEqual([7, 0])
  })
})

describe('a headline', () => {
  const clear = resultsOf({
    ms: { plugboard: [10, 11, 12], 'ai-sdk': [20, 21, 22], omp: [5, 5, 5] },
    rate: { plugboard: [300, 310, 320], 'ai-sdk': [100, 110, 120], omp: [301, 311, 321] },
  })

  it('is ahead or behind where the medians are too far apart for chance, whether less or more is better', () => {
    expect(tally(clear, 'node')).toEqual({ ahead: 2, level: 0, behind: 0 })
    expect(tally(clear, 'native')).toEqual({ ahead: 0, level: 1, behind: 1 })
  })

  it('is marked where it is level', () => {
    expect(ranking(clear).map((row) => [row[0], row[5], row[9]])).toEqual([
      ['10 servers ready, ms', '0.52', '2.20'],
      ['stdio: calls/s, 32 at a time, /s', '0.35', '1.00 ≈'],
    ])
  })

  it('of which there are only two samples goes by the ratio alone', () => {
    const few = resultsOf({ ms: { plugboard: [10, 30], 'ai-sdk': [9, 29] }, rate: {} })
    expect(tally(few, 'node')).toEqual({ ahead: 0, level: 0, behind: 1 })
  })
})
