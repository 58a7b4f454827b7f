/**
 * yaml: blocks stay blocks, brackets stay brackets; comments stay, and what others refer to is left alone.
 */
import { describe, expect, test } from 'vitest'
import type { Change, Path, Value } from '../../src/edit/change.ts'
import { edit } from '../../src/edit/edit.ts'

const TEXT = `# my goose
GOOSE_MODEL: x # for now
extensions:
    docs:
        cmd: npx # the guide
        args:
        - -y
        - docs
        envs: { KEY: a } # one
    # sentry:
    #     cmd: no

# last
other: true
`

const edited = (...changes: readonly Change[]): Promise<string> =>
  edit('yaml', { file: 'config.yaml', text: TEXT }, changes)
const set = (path: Path, value: Value): Change => ({ kind: 'set', path, value })

describe('set', () => {
  test('an entry, behind the comments of its block, indented as the others', async () => {
    const value = { cmd: 'npx', args: ['-y', 'no', '1'], envs: {}, about: 'a: b # c' }
    expect(await edited(set(['extensions', 'new: one'], value))).toBe(
      TEXT.replace(
        '    #     cmd: no\n',
        `    #     cmd: no
    "new: one":
        cmd: npx
        args:
            - "-y"
            - "no"
            - "1"
        envs: {}
        about: "a: b # c"
`,
      ),
    )
  })

  test('a value in its place; what is the same stays', async () => {
    const value = { cmd: 'uvx', args: ['-y', 'docs', 'x'], envs: { KEY: 'a', B: 'c' } }
    expect(await edited(set(['extensions', 'docs'], value))).toBe(
      TEXT.replace('cmd: npx #', 'cmd: uvx #')
        .replace('        - docs\n', '        - docs\n        - x\n')
        .replace('{ KEY: a }', '{ KEY: a, "B": "c" }'),
    )
  })

  test('a block in the place of a word', async () => {
    expect(await edited(set(['GOOSE_MODEL'], { name: 'x' }))).toBe(
      TEXT.replace('GOOSE_MODEL: x # for now', 'GOOSE_MODEL: # for now\n    name: x'),
    )
  })
})

test('remove: a pair, an item, and the last of a block', async () => {
  expect(await edited({ kind: 'remove', path: ['extensions', 'docs', 'args'] })).toBe(
    TEXT.replace('        args:\n        - -y\n        - docs\n', ''),
  )
  expect(await edited({ kind: 'remove', path: ['extensions', 'docs', 'args', 0] })).toBe(
    TEXT.replace('        - -y\n', ''),
  )
  expect(await edited({ kind: 'remove', path: ['extensions', 'docs'] })).toBe(`# my goose
GOOSE_MODEL: x # for now
extensions: {}
    # one
    # sentry:
    #     cmd: no

# last
other: true
`)
})

test('rename', async () => {
  expect(await edited({ kind: 'rename', path: ['extensions', 'docs'], to: 'true' })).toBe(
    TEXT.replace('    docs:\n', '    "true":\n'),
  )
})
