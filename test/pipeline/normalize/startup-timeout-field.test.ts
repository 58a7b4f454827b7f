/**
 * What a hint names as the limit for starting is what the dialect reads as that, in that unit; and where it names none,
 * there is none.
 */
import { describe, expect, test } from 'vitest'
import { createDocument } from '../../../src/model/document.ts'
import { DIALECTS, type DialectId, type FoundEntry } from '../../../src/model/entry.ts'
import { STARTUP_TIMEOUT_FIELDS, startupTimeoutField } from '../../../src/model/startup-timeout-field.ts'
import { parseText } from '../../../src/pipeline/discover/formats/parse-text.ts'
import { dialectOf } from '../../../src/pipeline/normalize/all-dialects.ts'
import { normalize } from '../../../src/pipeline/normalize/normalize.ts'

async function find(dialect: DialectId, entry: object): Promise<FoundEntry> {
  const text = JSON.stringify(entry)
  const parsed = await parseText(text, 'json')
  if (parsed.kind === 'fault') throw new Error(parsed.message)
  const document = createDocument('/home/ann/file.json', text, parsed.root)
  return {
    name: 'one',
    origin: { file: document.file, line: 1, column: 1, source: 'plugboard', scope: 'user' },
    rank: 0,
    reach: 'user',
    dialect,
    document,
    node: parsed.root,
    variables: {},
    baseDir: '/src',
  }
}

/** The smallest entry that each dialect takes. */
function entryOf(dialect: DialectId): object {
  if (dialect === 'connector') return { type: 'http', url: 'https://example.com/mcp' }
  if (dialect === 'opencode') return { type: 'local', command: ['x'] }
  if (dialect === 'goose') return { type: 'stdio', cmd: 'x' }
  return { type: 'stdio', command: 'x' }
}

async function startupLimit(dialect: DialectId, more: object): Promise<number | undefined> {
  const found = await find(dialect, { ...entryOf(dialect), ...more })
  const reading = normalize(found, { env: {}, platform: 'linux' })
  if (reading.kind !== 'definition') throw new Error(JSON.stringify(reading))
  return reading.definition.startupTimeoutMs
}

function nest(path: string, value: number): object {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object
}

describe.each(DIALECTS)('%s', (dialect) => {
  const fields = STARTUP_TIMEOUT_FIELDS[dialect]
  test.each(fields)('reads `$name` in $unit', async ({ name, unit }) => {
    expect(await startupLimit(dialect, nest(name, 90))).toBe(unit === 'seconds' ? 90_000 : 90)
  })

  test.each(fields)('is told of `$name` where the entry has it', async (field) => {
    const found = await find(dialect, { ...entryOf(dialect), ...nest(field.name, 90) })
    expect(startupTimeoutField(found)).toEqual(field)
  })

  test('has no other field for it', async () => {
    const known = fields.map(({ name }) => name.split('.')[0])
    const others = Object.keys(dialectOf(dialect).fields).filter((name) => /time/i.test(name))
    // xcsh and oh-my-pi do not know ours; Plugboard reads it there all the same.
    for (const name of others.filter(
      (one) => !known.includes(one) && !(dialect === 'xcsh' && one === 'startupTimeout'),
    ))
      expect([name, await startupLimit(dialect, { [name]: 9000 })]).toEqual([name, undefined])
  })
})
