/**
 * transcripts: what a person types and what they see, verbatim.
 *
 * Each transcripts/<name>.txt is a session in a shell: lines that begin with `$` are run one after the other, in the
 * home and project that stand in the folder of the same name. To write one anew, run the tests with `--update`.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openMachine, putPrograms, type Files, type Machine, type Ran } from './processes/plugboard.ts'
import { KEYS, runInTerminal } from './processes/terminal.ts'

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

describe('in a terminal', () => {
  const project: Files = {
    './.mcp.json': { mcpServers: { shop: { command: 'shop' }, pay: { command: 'pay' } } },
  }

  async function decisions(machine: Machine): Promise<readonly string[]> {
    const { approvals } = (await machine.json(['trust', 'list'])) as {
      readonly approvals: readonly { readonly server: string; readonly decision: string }[]
    }
    return approvals.map(({ server, decision }) => `${server}: ${decision}`)
  }

  /** Stands there when a question is asked, and no longer when it was answered. */
  const ASKED = 'not now (ask again next time)'

  test('each server that waits is shown and asked about, and the answers are kept', async () => {
    using machine = openMachine(project)
    const answers = [
      { when: ASKED, keys: KEYS.down + KEYS.enter },
      { when: ASKED, keys: KEYS.down + KEYS.down + KEYS.enter },
    ]
    const { code, text } = await runInTerminal(machine, 'plugboard trust approve', { columns: 80, answers })
    expect(code).toBe(0)
    expect(text).toContain('An MCP server can do whatever you can')
    expect(text).toContain('pay  ./.mcp.json:1:42\n  type     stdio\n  runs     pay\n  program  not found\n')
    expect(await decisions(machine)).toEqual(['pay: approved', 'shop: declined'])
  })

  test('the answer that is offered first decides nothing', async () => {
    using machine = openMachine(project)
    const answers = [{ when: ASKED, keys: KEYS.enter }]
    const { code } = await runInTerminal(machine, 'plugboard trust approve shop', { columns: 80, answers })
    expect({ code, decided: await decisions(machine) }).toEqual({ code: 0, decided: [] })
  })

  test.each(['escape', 'interrupt'] as const)('%s ends the questions and decides nothing', async (key) => {
    using machine = openMachine(project)
    const answers = [{ when: ASKED, keys: KEYS[key] }]
    const { code } = await runInTerminal(machine, 'plugboard trust approve', { columns: 80, answers })
    expect({ code, decided: await decisions(machine) }).toEqual({ code: 130, decided: [] })
  })

  test('with --yes nothing is asked', async () => {
    using machine = openMachine(project)
    const { code, text } = await runInTerminal(machine, 'plugboard trust approve --all --yes', {
      columns: 80,
    })
    expect(code).toBe(0)
    expect(text).not.toContain(ASKED)
    expect(await decisions(machine)).toEqual(['pay: approved', 'shop: approved'])
  })

  test.each([40, 60, 80])('a list fits into %i columns', async (columns) => {
    using machine = openMachine({
      ...readTree('listing', 'home', '~'),
      ...readTree('listing', 'project', '.'),
    })
    const { text } = await runInTerminal(machine, 'plugboard list --all; plugboard sources', { columns })
    const tables = text.split('\n').filter((line) => !/more not shown|warnings? about|^hint:/.test(line))
    expect(tables.filter((line) => line.length > columns)).toEqual([])
    expect(tables.join('\n')).toContain('Brave Search')
  })

  test.each([
    ['a terminal', 'plugboard list', {}, true],
    ['a terminal, when NO_COLOR is set', 'plugboard list', { NO_COLOR: '1' }, false],
    ['a terminal, when NO_COLOR is empty', 'plugboard list', { NO_COLOR: '' }, true],
    ['a terminal that is dumb', 'plugboard list', { TERM: 'dumb' }, false],
    ['a pipe', 'plugboard list | cat', {}, false],
    ['a pipe, when FORCE_COLOR is set', 'plugboard list | cat', { FORCE_COLOR: '1' }, true],
    ['a terminal, when FORCE_COLOR is 0', 'plugboard list', { FORCE_COLOR: '0' }, false],
  ])('colours: %s', async (_, line, env, isColored) => {
    using machine = openMachine(project)
    const { raw } = await runInTerminal(machine, line, { columns: 80, env })
    expect(raw).toContain('shop')
    expect(raw.includes('\u001b[')).toBe(isColored)
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
  putServers(machine, ['outcomes', 'dies-in-handshake'])
  return ['/bin/sh', '-c']
}

/** The programs of `test/servers`, as commands `mcp-…`. */
function putServers(machine: Machine, names: readonly string[]): void {
  for (const name of names) {
    const program = fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))
    machine.write({ [`~/bin/mcp-${name}`]: `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n` })
    chmodSync(machine.at(`~/bin/mcp-${name}`), 0o755)
  }
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
    .replace(/(?<="durationMs":)\d+/g, '0')
    .replace(/(?<=after )\d+(?:\.\d+)? m?s/g, '0 ms')
    .replace(/\b20\d\d-\d\d-\d\d(?:T[\d:.]+Z)?/g, (time) => '2026-01-01T00:00:00.000Z'.slice(0, time.length))
}
