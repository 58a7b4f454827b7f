/**
 * transcripts: what a person types and what they see, verbatim.
 *
 * Each transcripts/<name>.txt is a session in a shell: lines that begin with `$` are run one after the other, in the
 * home and project that stand in the folder of the same name. To write one anew, run the tests with `--update`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openMachine, putPrograms, type Files, type Machine, type Ran } from './processes/plugboard.ts'

const FOLDER = fileURLToPath(new URL('transcripts', import.meta.url))

const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => file.replace(/\.txt$/, ''))

describe('transcripts', () => {
  test.each(NAMES)('%s', async (name) => {
    const file = join(FOLDER, `${name}.txt`)
    using machine = openMachine({ ...readTree(name, 'home', '~'), ...readTree(name, 'project', '.') })
    const start = openShell(machine)
    const blocks: string[] = []
    for (const line of commandsIn(readFileSync(file, 'utf8'))) {
      blocks.push(
        showRun(machine, line, await machine.run([line], { start, env: { PATH: searchPath(machine) } })),
      )
    }
    await expect(blocks.join('\n')).toMatchFileSnapshot(file)
  })
})

function readTree(name: string, part: string, prefix: string): Files {
  const folder = join(FOLDER, name, part)
  if (!existsSync(folder)) return {}
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(
    paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [`${prefix}/${path}`, readFileSync(join(folder, path), 'utf8')]),
  )
}

/** A shell in which `plugboard` is the built command, and the programs that servers run are there. */
function openShell(machine: Machine): readonly string[] {
  putPrograms(machine, '~/bin', ['npx', 'uvx', 'node'])
  return ['/bin/sh', '-c']
}

function searchPath(machine: Machine): string {
  return [machine.at('~/bin'), machine.bin, '/usr/bin', '/bin'].join(':')
}

function commandsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('$ '))
    .map((line) => line.slice(2))
}

function showRun(machine: Machine, line: string, { code, stdout, stderr }: Ran): string {
  return [
    `$ ${line}\n`,
    code === 0 ? '' : `[exit code ${code}]\n`,
    fix(machine, stdout),
    stderr === '' ? '' : `[stderr]\n${fix(machine, stderr)}`,
  ].join('')
}

/** Temporary paths, and what follows from them, and times, as they are nowhere. */
function fix(machine: Machine, text: string): string {
  return machine
    .shorten(text)
    .replace(/(?<=projects\/project-)[0-9a-f]{12}/g, '000000000000')
    .replace(/\b20\d\d-\d\d-\d\d(?:T[\d:.]+Z)?/g, (time) => '2026-01-01T00:00:00.000Z'.slice(0, time.length))
}
