/**
 * round-trip: what a writer writes, the reader of the same dialect reads as it was; what gets lost is on the list.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WRITERS, type WritableSource } from '../../../src/edit/dialects/all-writers.ts'
import { findDifferences } from '../../../src/edit/differences.ts'
import { kindOfServer, writeEntry } from '../../../src/edit/write-entry.ts'
import { readBack } from '../../../src/runtime/manage/read-back.ts'
import { anyServer, type AnyServer } from './arbitrary-definition.ts'

const SOURCES = Object.keys(WRITERS) as WritableSource[]

describe('what is written is read as it was', () => {
  test.each(SOURCES)('%s', async (source) => {
    await fc.assert(
      fc.asyncProperty(anyServer('plain'), async (server) => {
        const lost = await loseInWriting(source, server)
        expect(lost.unlisted).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  test('our own format says everything but what is code in a value', async () => {
    await fc.assert(
      fc.asyncProperty(anyServer('plain'), async (server) => {
        const { listed } = await loseInWriting('plugboard', server)
        expect(listed.filter((why) => why !== 'runs no commands inside of values')).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})

/** What differs after writing and reading, without what the writer listed; and the list. */
async function loseInWriting(
  source: WritableSource,
  server: AnyServer,
): Promise<{ readonly unlisted: readonly string[]; readonly listed: readonly (string | undefined)[] }> {
  const writer = WRITERS[source]
  const written = writeEntry(server, writer)
  if (written.kind === 'impossible') return { unlisted: [], listed: [] }
  const { name } = server.definition
  const place = {
    file: '/f',
    source,
    scope: 'user',
    dialect: writer.dialect,
    baseDir: '/',
    variables: {},
  } as const
  const back = await readBack({ env: {}, platform: 'linux' }, { name, entry: written.entry }, place)
  if (back.kind !== 'definition') throw new Error(`not a definition: ${JSON.stringify(back, null, 1)}`)
  const read = { definition: back.definition, power: back.off === undefined ? 'on' : 'off' } as const
  const listed = written.unsaid.map(({ field }) => field)
  const kinds = [server, read].map(({ definition }) => kindOfServer(definition.transport))
  // HTTP that an agent tries as SSE, too, is no loss; how values are looked up follows from the file they stand in.
  const given = kinds.join() === 'http,auto' ? ['type', 'values'] : ['values']
  const unlisted = findDifferences(server, read).filter((field) => !isCovered(field, [...listed, ...given]))
  return { unlisted, listed: written.unsaid.map(({ why }) => why) }
}

/** By its own name, or with the whole map or list it is in. */
function isCovered(field: string, listed: readonly string[]): boolean {
  return listed.includes(field) || listed.includes(/^(?:env|headers|args)(?=[.[])/.exec(field)?.[0] ?? field)
}
