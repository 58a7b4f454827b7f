/**
 * browser: which opener is used, and when the next one is tried. Fake openers, each a script that writes down that it ran.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createNodeBrowser } from '../../src/world/node/browser.ts'
import { openMachine, putPrograms, type Machine } from '../processes/plugboard.ts'

const URL = "https://login.test/auth?a=1&b=2 $(touch x) 'y'"

interface Openers {
  open(): Promise<unknown>
  /** What ran, in order, with its arguments. */
  ran(): readonly string[]
}

/** By name: the script behind it. Nothing else is on the PATH. */
function set(machine: Machine, scripts: Readonly<Record<string, string>>): Openers {
  const folder = putPrograms(machine, '~/openers', Object.keys(scripts))
  const log = join(machine.home, 'ran')
  for (const [name, script] of Object.entries(scripts)) {
    machine.write({ [`~/openers/${name}`]: `#!/bin/sh\necho "${name} $*" >> '${log}'\n${script}\n` })
  }
  const browser = createNodeBrowser('linux', { PATH: folder })
  return {
    open: () => browser.open(URL),
    ran: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
  }
}

describe('on Linux', () => {
  test('the first that exists and ends well is enough', async () => {
    using machine = openMachine()
    const { open, ran } = set(machine, { 'xdg-open': 'exit 0', gio: 'exit 0' })
    expect(await open()).toEqual({ kind: 'opened', opener: 'xdg-open' })
    expect(ran()).toEqual([`xdg-open ${URL}`])
  })

  test('all are tried in their order, and those that are missing or fail are passed over', async () => {
    using machine = openMachine()
    const { open, ran } = set(machine, {
      'gnome-open': 'exit 0',
      'kde-open': 'exit 2',
      wslview: 'exit 1',
      gio: 'exit 3',
    })
    expect(await open()).toEqual({ kind: 'opened', opener: 'gnome-open' })
    expect(ran()).toEqual([`gio open ${URL}`, `wslview ${URL}`, `kde-open ${URL}`, `gnome-open ${URL}`])
  })

  test('one that is still alive after a moment has found a browser', async () => {
    using machine = openMachine()
    const pidFile = join(machine.home, 'pid')
    const { open, ran } = set(machine, {
      'xdg-open': 'exit 3',
      gio: `echo $$ > '${pidFile}'; exec /bin/sleep 30`,
      wslview: 'exit 0',
    })
    expect(await open()).toEqual({ kind: 'opened', opener: 'gio open' })
    expect(ran()).toEqual([`xdg-open ${URL}`, `gio open ${URL}`])
    process.kill(Number(readFileSync(pidFile, 'utf8')))
  })

  test('without any, those that were tried are named', async () => {
    using machine = openMachine()
    const { open } = set(machine, {})
    expect(await open()).toEqual({
      kind: 'no-opener',
      tried: ['xdg-open', 'gio open', 'wslview', 'kde-open', 'gnome-open'],
    })
  })
})

test('on macOS it is `open`, on Windows no shell that would cut the address at `&`', async () => {
  const env = { PATH: '/nowhere' }
  expect(await createNodeBrowser('darwin', env).open(URL)).toEqual({ kind: 'no-opener', tried: ['open'] })
  expect(await createNodeBrowser('win32', env).open(URL)).toEqual({ kind: 'no-opener', tried: ['rundll32'] })
})
