/**
 * compile-cache: where Node keeps what it compiled of the built command.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DIST, openMachine, type Machine } from '../processes/plugboard.ts'

const USUAL = '~/.cache/plugboard/compiled'

/** From Node 22.1 on. */
const canKeep = 'enableCompileCache' in nodeModule

function keptIn(machine: Machine, folder: string): readonly string[] {
  const path = machine.at(folder)
  return existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('the folder that the command is installed in stays as it is', async () => {
  using machine = openMachine()
  const stateOf = (file: string): readonly unknown[] => {
    const { size, mtimeMs } = statSync(join(DIST, file))
    return [file, size, mtimeMs]
  }
  const look = (): unknown => readdirSync(DIST, { recursive: true, encoding: 'utf8' }).map(stateOf)
  const before = look()
  for (const line of [['--version'], ['list'], ['tools']])
    expect(await machine.run(line)).toMatchObject({ code: 0 })
  expect(look()).toEqual(before)
})

test.runIf(!canKeep)('a Node that keeps nothing gets no folder for it', async () => {
  using machine = openMachine()
  expect(await machine.run(['list'])).toMatchObject({ code: 0 })
  expect(existsSync(machine.at('~/.cache'))).toBe(false)
})

describe.runIf(canKeep)('what is compiled is kept', () => {
  test('in the cache folder of the user, for whom alone it is', async () => {
    using machine = openMachine()
    expect(await machine.run(['list'])).toMatchObject({ code: 0 })
    expect(keptIn(machine, USUAL).length).toBeGreaterThan(2)
    expect(modeOf(machine.at(USUAL))).toBe(0o700)
  })

  test.each([
    ['XDG_CACHE_HOME', 'plugboard/compiled'],
    ['PLUGBOARD_HOME', 'cache/compiled'],
  ])('where %s says', async (variable, below) => {
    using machine = openMachine()
    const env = { [variable]: machine.at('~/elsewhere') }
    expect(await machine.run(['list'], { env })).toMatchObject({ code: 0 })
    expect(keptIn(machine, `~/elsewhere/${below}`).length).toBeGreaterThan(2)
    expect(existsSync(machine.at('~/.cache'))).toBe(false)
  })

  test('but not where others may write, or nothing can be written', async () => {
    using machine = openMachine()
    mkdirSync(machine.at(USUAL), { recursive: true })
    chmodSync(machine.at(USUAL), 0o777)
    expect(await machine.run(['list'])).toMatchObject({ code: 0 })
    expect(keptIn(machine, USUAL)).toEqual([])

    machine.write({ '~/a-file': '' })
    const env = { XDG_CACHE_HOME: machine.at('~/a-file') }
    expect(await machine.run(['list'], { env })).toMatchObject({ code: 0, stderr: '' })
  })
})
