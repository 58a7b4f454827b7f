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
  it('is their median, the lowest and the highest', () => {
    expect(keptOf([5, 1, 4, 2])).toEqual([3, 1, 5])
  })

  it('is the median alone of two, which say little of where a third would lie', () => {
    expect(keptOf([10, 20])).toEqual([15])
  })

  it('leaves out what could not be measured, as it comes out of JSON', () => {
    expect(keptOf(JSON.parse('[7, null, 9, 8]') as Samples)).toEqual([8, 7, 9])
    expect(keptOf([])).toEqual([])
  })
})

describe('a headline', () => {
  const found = resultsOf({
    ms: { plugboard: [10, 11, 12], 'ai-sdk': [20, 21, 22], omp: [5, 5, 5] },
    rate: { plugboard: [300, 310, 320], 'ai-sdk': [100, 110, 120], omp: [301, 311, 321] },
  })

  it('is ahead or behind where no sample lies among those of the other, whether less or more is better', () => {
    expect(tally(found, 'node')).toEqual({ ahead: 2, level: 0, behind: 0, unjudged: 0 })
    expect(tally(found, 'native')).toEqual({ ahead: 0, level: 1, behind: 1, unjudged: 0 })
  })

  it('is marked where it is level', () => {
    expect(ranking(found).map((row) => [row[0], row[5], row[9]])).toEqual([
      ['10 servers ready, ms', '0.52', '2.20'],
      ['stdio: calls/s, 32 at a time, /s', '0.35', '1.00 ≈'],
    ])
  })

  it('of which there are only two samples is not judged, nor marked', () => {
    const few = resultsOf({ ms: { plugboard: [10, 10], 'ai-sdk': [10, 10] }, rate: {} })
    expect(tally(few, 'node')).toEqual({ ahead: 0, level: 0, behind: 0, unjudged: 1 })
    expect(ranking(few)[0]![5]).toBe('1.00')
  })

  it('is ahead only of all: one steady peer that is level counts, whoever has the best median', () => {
    const ms = { plugboard: [10, 11, 12], 'ai-sdk': [13, 13, 13], mcporter: [11.5, 14, 15] }
    expect(tally(resultsOf({ ms, rate: {} }), 'node')).toMatchObject({ ahead: 0, level: 1 })
  })
})
