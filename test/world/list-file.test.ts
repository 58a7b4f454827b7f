/**
 * list-file: on real files, and on a device that is always full.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createListFile, openListFile } from '../../src/world/node/list-file.ts'
import { createScratch } from '../worlds/scratch.ts'

test('what is written is read by whoever has the other end, and no file is left', () => {
  const before = fs.readdirSync(process.env['TMPDIR'] ?? '/tmp').filter(isOurs)
  const { file, toRead, release } = openListFile()!
  expect([file.write('+ 1\n', nothing), file.write('- 1\n', nothing)]).toEqual([true, true])
  expect(fs.readFileSync(toRead, 'utf8')).toBe('+ 1\n- 1\n')
  expect(fs.readdirSync(process.env['TMPDIR'] ?? '/tmp').filter(isOurs)).toEqual(before)
  release()
})

test('a list that grew long is replaced with what counts of it', () => {
  using scratch = createScratch()
  const name = join(scratch.home, 'list')
  const descriptor = fs.openSync(name, 'ax')
  const file = createListFile(fs, descriptor)
  for (let id = 0; id < 10_000; id++) expect(file.write(`+ ${id}\n- ${id}\n`, () => '+ 7\n')).toBe(true)
  fs.closeSync(descriptor)
  const text = fs.readFileSync(name, 'utf8')
  expect(text.length).toBeLessThan(20_000)
  expect(text.startsWith('+ 7\n')).toBe(true)
  expect(text.endsWith('+ 9999\n- 9999\n')).toBe(true)
})

test.runIf(process.platform === 'linux')('a disk that is full is told, and throws nothing', () => {
  const descriptor = fs.openSync('/dev/full', 'a')
  expect(createListFile(fs, descriptor).write('+ 1\n', nothing)).toBe(false)
  fs.closeSync(descriptor)
})

function nothing(): string {
  return ''
}

function isOurs(name: string): boolean {
  return name.startsWith(`plugboard-${process.pid}-`)
}
