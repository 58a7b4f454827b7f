/**
 * edit-file: changed, or a Problem that says what, where and what next, and nothing changed.
 */
import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/edit/change.ts'
import { ProblemError } from '../../src/problem/problem.ts'
import { editFile, previewEdit } from '../../src/runtime/edit-file.ts'
import type { Unwritable } from '../../src/world/world.ts'
import { createMemoryWorld } from '../worlds/memory.ts'

const FILE = '/home/ada/.config/plugboard/mcp.json'
const CHANGES: readonly Change[] = [{ kind: 'set', path: ['mcpServers', 'a'], value: { command: 'a' } }]
const TEXT = '{ "mcpServers": {} } // mine\n'

test('a file is changed, or made', async () => {
  const world = createMemoryWorld({ files: { [FILE]: TEXT } })
  expect(await editFile(world, { file: FILE, within: undefined }, CHANGES)).toBe('changed')
  expect(await editFile(world, { file: FILE, within: undefined }, CHANGES)).toBe('unchanged')
  expect(world.stored.get(FILE)).toBe('{ "mcpServers": {\n  "a": {\n    "command": "a"\n  }\n} } // mine\n')
  expect(await editFile(world, { file: '/x/config.toml', within: undefined }, CHANGES)).toBe('changed')
  expect(world.stored.get('/x/config.toml')).toBe('[mcpServers.a]\ncommand = "a"\n')
  expect(await editFile(world, { file: '/x/config.yaml', within: undefined }, CHANGES)).toBe('changed')
  expect(world.stored.get('/x/config.yaml')).toBe('mcpServers:\n  a:\n    command: a\n')
})

test('a file in which there is nothing to do is not made', async () => {
  const world = createMemoryWorld()
  expect(await editFile(world, { file: FILE, within: undefined }, [{ kind: 'remove', path: ['a'] }])).toBe(
    'unchanged',
  )
  expect(world.stored.has(FILE)).toBe(false)
})

test('a look shows what would be, and writes nothing', async () => {
  const world = createMemoryWorld({ files: { [FILE]: TEXT } })
  expect(await previewEdit(world, { file: FILE }, CHANGES)).toContain('"command": "a"')
  expect(world.stored.get(FILE)).toBe(TEXT)
})

test('what another program wrote in between is what the changes are applied to', async () => {
  const world = createMemoryWorld({ files: { [FILE]: TEXT } })
  let looks = 0
  await editFile(world, { file: FILE, within: undefined }, () => {
    if (looks++ === 0) (world.stored as Map<string, string>).set(FILE, '{ "theirs": true }')
    return CHANGES
  })
  expect(JSON.parse(world.stored.get(FILE) as string)).toEqual({
    theirs: true,
    mcpServers: { a: { command: 'a' } },
  })
})

describe('refused', () => {
  test.each<readonly [Unwritable, string, string]>([
    [{ kind: 'disk-full' }, 'write/disk-full', 'this file could not be written: the disk is full'],
    [{ kind: 'read-only-disk' }, 'write/read-only', 'this file could not be written: its disk is read-only'],
    [{ kind: 'read-only-file' }, 'write/read-only', 'this file is read-only'],
    [{ kind: 'other-owner', uid: 7 }, 'write/other-owner', 'this file belongs to somebody else'],
    [{ kind: 'denied', path: FILE }, 'write/denied', 'you may not write this file'],
    [
      { kind: 'denied', path: `${FILE}.plugboard.lock` },
      'write/read-only-folder',
      'you may not write in the folder of this file',
    ],
    [
      { kind: 'no-folder', path: '/home/ada/.config' },
      'write/no-folder',
      'this file could not be written: a part of its path is not a folder',
    ],
    [
      { kind: 'unreadable', why: { kind: 'denied' } },
      'write/unreadable',
      'this file cannot be changed: you may not read it',
    ],
    [
      { kind: 'locked' },
      'write/locked',
      'this file could not be written: other Plugboards write it all the time',
    ],
    [
      { kind: 'busy' },
      'write/busy',
      'this file could not be written: another program changes it all the time',
    ],
    [
      { kind: 'outside', link: '/shop/.plugboard', target: '/home/ada/mcp.json' },
      'write/outside',
      'this file is not changed: a link leads out of the project',
    ],
    [
      { kind: 'lock-taken', path: '/shop/mcp.json.plugboard.lock' },
      'write/lock-taken',
      'this file could not be written: something that is no file stands where its lock would be',
    ],
    [{ kind: 'failed', message: 'EIO: i/o error' }, 'write/failed', 'this file could not be written'],
  ])('%j', async (why, code, message) => {
    const world = createMemoryWorld({ files: { [FILE]: TEXT }, unwritable: { [FILE]: why } })
    const problem = await problemOf(editFile(world, { file: FILE, within: undefined }, CHANGES))
    expect(problem).toMatchObject({ code, message, where: { file: FILE } })
    expect(problem.notes.at(-1)).toBe('nothing was changed')
    expect(world.stored.get(FILE)).toBe(TEXT)
  })

  test.each([
    ['/x/a.json', '{ "mcpServers": ', 'edit/unparseable', 1, 17],
    ['/x/a.toml', 'a = 1\nb == 2\n', 'edit/unparseable', 2, 4],
    ['/x/a.yaml', 'a:\n  b: 1\n c: 2\n', 'edit/unparseable', 3, 1],
    ['/x/a.json', '[]', 'edit/wrong-shape', 1, 1],
    ['/x/a.json', '{\n  "mcpServers": []\n}', 'edit/wrong-shape', 2, 17],
    ['/x/a.yaml', 'b: &x\n  c: {}\nmcpServers: *x\n', 'edit/shared', 3, 13],
    ['/x/a.yaml', 'mcpServers: &x\n  c: {}\nb: *x\n', 'edit/shared', 2, 3],
  ])('%s that says %j, with its place', async (file, text, code, line, column) => {
    const world = createMemoryWorld({ files: { [file]: text } })
    const problem = await problemOf(editFile(world, { file, within: undefined }, CHANGES))
    expect(problem).toMatchObject({ code, where: { file, line, column } })
    expect(world.stored.get(file)).toBe(text)
  })

  test('what TOML cannot say', async () => {
    const world = createMemoryWorld({ files: { '/x/a.toml': 'a = 1\n' } })
    const change: Change = { kind: 'set', path: ['b', 'c'], value: null }
    expect(
      await problemOf(editFile(world, { file: '/x/a.toml', within: undefined }, [change])),
    ).toMatchObject({
      code: 'edit/cannot-say',
      message: '`b.c` cannot be null: TOML has no word for it',
    })
  })

  test('another name that is there already, or of nothing', async () => {
    const world = createMemoryWorld({ files: { [FILE]: '{ "a": 1, "b": 2 }' } })
    const rename = (from: string, to: string): Promise<unknown> =>
      problemOf(editFile(world, { file: FILE, within: undefined }, [{ kind: 'rename', path: [from], to }]))
    expect(await rename('a', 'b')).toMatchObject({ code: 'edit/exists', message: '`b` is there already' })
    expect(await rename('c', 'd')).toMatchObject({ code: 'edit/missing' })
  })
})

async function problemOf(work: Promise<unknown>): Promise<ProblemError['problem']> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ProblemError)) throw new Error('no problem', { cause: error })
  return error.problem
}
