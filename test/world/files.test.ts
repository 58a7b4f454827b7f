/**
 * files: what cannot be written is told, and nothing else happens.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeFiles } from '../../src/world/node/files.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-files-'))
  writeFileSync(join(folder, 'a-file'), 'x')
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['into a folder that is a file', 'a-file/inside.txt'],
  ['into a folder below a file', 'a-file/further/inside.txt'],
  ['over a folder', '.'],
])('a file that cannot be written %s is no error, and leaves nothing behind', (_, path) => {
  expect(nodeFiles.write(join(folder, path), 0o600, 'text')).toBe(false)
  expect(readdirSync(folder)).toEqual(['a-file'])
})
