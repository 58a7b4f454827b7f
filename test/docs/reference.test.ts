/**
 * reference: the generated pages of docs/reference are what the code says. `npx vitest run test/docs -u` writes them.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GLOBAL_FLAGS, PLUGBOARD } from '../../src/hosts/cli/commands.ts'
import type { Command, Flag } from '../../src/hosts/cli/command.ts'
import { SOURCE_TITLES } from '../../src/model/origin.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { GATEWAY_KEYS } from '../../src/pipeline/normalize/gateway-setting.ts'
import type { Platform } from '../../src/world/world.ts'
import { createMemoryWorld, HOMES, PROJECTS } from '../worlds/memory.ts'

describe('reference', () => {
  test('commands.md is the command tree', async () => {
    const page = [
      '# Commands',
      '',
      ...flagsOf('Flags of every command', GLOBAL_FLAGS),
      ...sections(PLUGBOARD, []),
    ].join('\n')
    await expect(`${page.trimEnd()}\n`).toMatchFileSnapshot('../../docs/reference/commands.md')
  })

  test('files.md is every place that is looked at', async () => {
    const tables: string[] = []
    for (const platform of ['linux', 'darwin', 'win32'] as const) tables.push(...(await placesOf(platform)))
    const page = ['# Files', '', INTRODUCTION, '', ...tables].join('\n')
    await expect(`${page.trimEnd()}\n`).toMatchFileSnapshot('../../docs/reference/files.md')
  })

  test('gateway-settings.md has every setting of the gateway, and no other', () => {
    const page = readFileSync(new URL('../../docs/reference/gateway-settings.md', import.meta.url), 'utf8')
    const keys = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key)
    expect([...keys].sort()).toEqual([...GATEWAY_KEYS].sort())
  })

  test('the README names every command', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    for (const { name } of PLUGBOARD.commands ?? []) expect(readme).toContain(`plugboard ${name}`)
  })
})

const INTRODUCTION = [
  'Every place that is looked at, on a machine where nothing is set up yet: plugins, extensions and profiles add theirs. `~` is the home, `.` each directory from the',
  'working directory up to the git root. Variables such as `XDG_CONFIG_HOME`, `CODEX_HOME` and `CLAUDE_CONFIG_DIR` move what belongs to them.',
].join('\n')

function sections(command: Command, path: readonly string[]): string[] {
  const own = [...path, command.name]
  const below = (command.commands ?? []).flatMap((one) => sections(one, own))
  if (command.load === undefined) return below
  const words = command.arguments.map(
    ({ name, count }) =>
      ({ one: `<${name}>`, optional: `[${name}]`, some: `<${name}…>`, any: `[${name}…]` })[count],
  )
  return [
    `## ${own.join(' ')}`,
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    '',
    '```',
    [...own, ...words].join(' '),
    ...command.examples.map((example) => `  ${example}`),
    '```',
    '',
    ...flagsOf('', command.flags),
    ...below,
  ]
}

function flagsOf(title: string, flags: readonly Flag[]): string[] {
  if (flags.length === 0) return []
  const rows = flags.map(({ name, short, value, summary }) => {
    const spelled = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].join(', ')
    return `| \`${spelled}${value === undefined ? '' : ` <${value}>`}\` | ${summary} |`
  })
  return [...(title === '' ? [] : [`## ${title}`, '']), '| flag | |', '| --- | --- |', ...rows, '']
}

async function placesOf(platform: Platform): Promise<string[]> {
  const env = platform === 'win32' ? WINDOWS_ENV : {}
  const { catalog } = await loadCatalog(createMemoryWorld({ platform, env }))
  const shorten = (file: string): string =>
    file
      .replace(HOMES[platform], '~')
      .replace(PROJECTS[platform], '.')
      .replace(/(?<=projects.)shop-\w+/, '<name>-<hash>')
  const rows = catalog.places.map(
    ({ source, scope, file }) => `| ${SOURCE_TITLES[source]} | ${scope} | \`${shorten(file)}\` |`,
  )
  const title = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }[platform]
  return [`## ${title}`, '', '| source | scope | file |', '| --- | --- | --- |', ...rows, '']
}

const WINDOWS_ENV = {
  APPDATA: 'C:\\Users\\ada\\AppData\\Roaming',
  LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local',
  ProgramData: 'C:\\ProgramData',
  USERPROFILE: 'C:\\Users\\ada',
}
