/**
 * kept-results: how many, and whose.
 */
import { expect, it } from 'vitest'
import { KeptResults, MAX_RESULTS } from '../../../src/hosts/gateway/kept-results.ts'
import { createScratch } from '../../worlds/scratch.ts'

it('many of one holder make that one forget its oldest, and nobody else', () => {
  using scratch = createScratch()
  scratch.write('home/result.txt', 'long')
  const results = new KeptResults(scratch.world)
  const file = `${scratch.home}/result.txt`
  const keep = (holder: string): string => results.keep('long', { file, bytes: 4, partBytes: 4, holder }).uri
  const owners = keep('token')
  const guests = Array.from({ length: 2000 }, () => keep('guest'))
  expect(results.read(owners, 'token')).toMatchObject({ contents: [{ text: 'long' }] })
  const left = guests.filter((uri) => results.read(uri, 'guest') !== undefined)
  expect(left).toEqual(guests.slice(-MAX_RESULTS))
})
