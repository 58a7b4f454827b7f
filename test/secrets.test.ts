/**
 * secrets: what people write into their files and must never see on a screen, in any command, as text or as JSON.
 */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { discoverServers, openPlugboard, originalText } from '../src/index.ts'
import { declareAt, USER_PLACES, type Entry } from './processes/places.ts'
import { openMachine, type Files, type Machine } from './processes/plugboard.ts'
import { createScratch, type Scratch } from './worlds/scratch.ts'

/** Part of every secret below. */
const HUSH = 'hush4711'

const ARGS: readonly string[] = [
  '--api-key',
  `${HUSH}-a`,
  `--token=${HUSH}-b`,
  '-e',
  `KEY=${HUSH}-c`,
  '-H',
  `Authorization: Bearer ${HUSH}-d`,
  '--header',
  `X-Key: ${HUSH}-e`,
  `DB_PASSWORD=${HUSH}-f`,
  `https://user:${HUSH}-g@host.test/`,
  `https://host.test/?api_key=${HUSH}-h&x=1`,
  `sk-${HUSH}${HUSH}`,
]
const URL = `https://user:${HUSH}@host.test/mcp?access_token=${HUSH}`

/** Right and wrong in every way that makes a problem point at the line of a secret. */
const ENTRIES: Readonly<Record<string, Entry>> = {
  started: { command: 'npx', args: ARGS, env: { TOKEN: HUSH, PLAIN: HUSH, D: `\${UNSET_D:-${HUSH}}` } },
  reached: {
    type: 'http',
    url: URL,
    headers: { Authorization: `Bearer ${HUSH}`, 'X-Odd': HUSH },
    oauth: { clientId: 'id', clientSecret: HUSH },
    auth: { type: 'oauth', clientSecret: HUSH },
  },
  'helped-by-command': { type: 'http', url: URL, headersHelper: `print-headers --token ${HUSH}` },
  'unset-variable': {
    command: 'npx',
    env: { TOKEN: `${HUSH}-\${UNSET_A}` },
    args: ['--key', `${HUSH}\${UNSET_B}`],
  },
  'whole-line': { command: `npx -y tool --api-key ${HUSH} --token=${HUSH}` },
  'whole-path': { command: `/opt/missing tool/run --api-key ${HUSH}` },
  'list-command': { command: ['npx', '--api-key', HUSH, `TOKEN=${HUSH}`] },
  'list-variable': { command: 'npx', env: { TOKEN: [HUSH] } },
  'object-variable': { command: 'npx', env: { TOKEN: { value: HUSH } } },
  'text-variables': { command: 'npx', env: `TOKEN=${HUSH}` },
  'list-headers': { type: 'http', url: URL, headers: [`Authorization: ${HUSH}`] },
  'text-args': { command: 'npx', args: `--token ${HUSH}` },
  'object-args': { command: 'npx', args: [{ token: HUSH }] },
  'list-url': { type: 'http', url: [URL] },
  'no-url': { type: 'http', url: `user:${HUSH}@host` },
  'other-protocol': { type: 'http', url: `ftp://user:${HUSH}@host/?key=${HUSH}` },
  both: { command: 'npx', url: URL },
  'unknown-field': { command: 'npx', apiKey: HUSH, nested: { deep: [HUSH] } },
  'unused-field': { command: 'npx', headers: { Authorization: HUSH }, oauth: { clientSecret: HUSH } },
  'bad-oauth': { type: 'http', url: URL, oauth: HUSH },
  'bad-secret': { type: 'http', url: URL, oauth: { clientSecret: [HUSH] } },
  'bad-timeout': { command: 'npx', timeout: [HUSH] },
  'only-text': HUSH as unknown as Entry,
  'command-value': { command: 'npx', env: { TOKEN: `!echo ${HUSH} >&2; exit 3` } },
}

const LINES: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--all'],
  ['explain'],
  ['sources'],
  ['doctor'],
  ['doctor', '--run'],
  ['trust', 'list'],
]

async function expectSilenceOf(machine: Machine, lines: readonly (readonly string[])[]): Promise<void> {
  for (const line of lines) {
    const { stdout, stderr } = await machine.run(line)
    const leaks = `${stdout}${stderr}`.split('\n').filter((one) => one.includes(HUSH))
    expect(
      leaks.map((leak) => leak.slice(0, 2000)),
      line.join(' '),
    ).toEqual([])
    expect(stderr).not.toContain('bug in Plugboard')
  }
}

function expectSilence(machine: Machine, lines: readonly (readonly string[])[]): Promise<void> {
  return expectSilenceOf(
    machine,
    lines.flatMap((line) => [line, [...line, '--json']]),
  )
}

describe('in files that parse', () => {
  test.each(USER_PLACES)('$file', async (place) => {
    const [[file, minified]] = Object.entries(declareAt(place, ENTRIES)) as [[string, string]]
    using machine = openMachine({ [file]: minified })
    const { servers } = (await machine.json(['list', '--all'])) as { readonly servers: readonly object[] }
    expect(servers.length).toBe(Object.keys(ENTRIES).length)
    await expectSilenceOf(machine, [['list', '--all', '--json'], ['explain'], ['doctor']])
  })

  test('written over many lines, by every command', async () => {
    using machine = openMachine({
      '~/.config/plugboard/mcp.json': JSON.stringify({ mcpServers: ENTRIES }, undefined, 2),
      '~/.codex/config.toml': Object.values(
        declareAt(
          USER_PLACES.find(({ source }) => source === 'codex')!,
          { started: ENTRIES['started']! },
        ),
      )[0]!,
    })
    await expectSilence(machine, [...LINES, ...Object.keys(ENTRIES).map((name) => ['get', name])])
  })

  test('one entry in a line, as people write them', async () => {
    const entries = Object.entries(ENTRIES).map(
      ([name, entry]) => `    ${JSON.stringify(name)}: ${JSON.stringify(entry)}`,
    )
    using machine = openMachine({
      '~/.cursor/mcp.json': `{\n  "mcpServers": {\n${entries.join(',\n')}\n  }\n}\n`,
    })
    await expectSilence(machine, LINES)
  })

  test('in settings, in connectors and what they answer', async () => {
    using machine = openMachine({
      '~/.config/plugboard/settings.json': {
        connectors: [
          { url: `http://user:${HUSH}@127.0.0.1:1/list?api_key=${HUSH}`, headers: { Authorization: HUSH } },
          { url: `http://127.0.0.1:1/?token=${HUSH}`, headers: { Authorization: `\${UNSET_C}${HUSH}` } },
          { url: 'http://127.0.0.1:1/', headers: { Authorization: [HUSH] } },
          { url: `ftp://${HUSH}` },
        ],
        apiKey: HUSH,
      },
    })
    await expectSilence(machine, LINES)
  })
})

describe('in files that do not parse', () => {
  const json = `{"mcpServers":{"a":{"command":"npx","args":["--api-key","${HUSH}"],"env":{"TOKEN":"${HUSH}","B":"${HUSH}"}}}}`
  const toml = `[mcp_servers.a]\ncommand = "npx"\nargs = ["--api-key", "${HUSH}"]\nenv = { TOKEN = "${HUSH}", B = '${HUSH}' }\n`
  const yaml = `extensions:\n  a: {type: stdio, cmd: npx, args: [--api-key, ${HUSH}], envs: {TOKEN: "${HUSH}", B: '${HUSH}', C: ${HUSH}}}\n  b:\n    args:\n    - --api-key\n    - ${HUSH}==\n    envs:\n      TOKEN: ${HUSH}\n`
  const fault = (text: string, after: string, insert: string): string =>
    text.replace(after, () => after + insert)
  const broken: readonly (readonly [file: string, text: string])[] = [
    ['~/.cursor/mcp.json', fault(json, '"npx"', ' oops')],
    ['~/.cursor/mcp.json', fault(json, `"--api-key","${HUSH}"`, ' "oops"')],
    ['~/.cursor/mcp.json', fault(json, `"TOKEN":"${HUSH}"`, ',,')],
    ['~/.cursor/mcp.json', json.replace(`"TOKEN":"${HUSH}"`, `"TOKEN":${HUSH}`)],
    ['~/.cursor/mcp.json', json.replace(`"TOKEN":"${HUSH}"`, `"TOKEN":'${HUSH}'`)],
    ['~/.cursor/mcp.json', json.replace(`"B":"${HUSH}"`, `"B":"${HUSH}`)],
    ['~/.cursor/mcp.json', json.replace(`"B":"${HUSH}"`, `"B" "${HUSH}"`)],
    ['~/.cursor/mcp.json', json.replace(`"B":`, `"B":\n`).replace('}}}}', '')],
    ['~/.cursor/mcp.json', `${json} // ${HUSH}\n${HUSH}`],
    ['~/.cursor/mcp.json', `TOKEN=${HUSH}`],
    ['~/.cursor/mcp.json', `{"history":"${'x'.repeat(5000)}","TOKEN":"${'y'.repeat(60)}${HUSH}", oops}`],
    ['~/.codex/config.toml', fault(toml, '"npx"', ' oops')],
    ['~/.codex/config.toml', fault(toml, `"--api-key", "${HUSH}"`, ' oops')],
    ['~/.codex/config.toml', fault(toml, `TOKEN = "${HUSH}"`, ' oops')],
    ['~/.codex/config.toml', toml.replace(`TOKEN = "${HUSH}"`, `TOKEN = ${HUSH}`)],
    ['~/.codex/config.toml', toml.replace(`TOKEN = "${HUSH}"`, `TOKEN = "${HUSH}\\q"`)],
    ['~/.codex/config.toml', toml.replace(`B = '${HUSH}' }`, `B = '${HUSH}`)],
    ['~/.codex/config.toml', `${toml}TOKEN = """\n${HUSH}==\n`],
    ['~/.codex/config.toml', `${toml}${HUSH}\n`],
    ['~/.config/goose/config.yaml', fault(yaml, `TOKEN: "${HUSH}"`, ' oops')],
    ['~/.config/goose/config.yaml', fault(yaml, `--api-key, ${HUSH}`, ' ]')],
    ['~/.config/goose/config.yaml', `${yaml}   C: ${HUSH}\n`],
    ['~/.config/goose/config.yaml', `${yaml}\tC: ${HUSH}\n`],
    ['~/.config/goose/config.yaml', `${yaml}D: "${HUSH}\n`],
    ['~/.config/goose/config.yaml', `${yaml}D: *${HUSH}\n`],
    ['~/.config/goose/config.yaml', `${yaml}D: !${HUSH} x\n`],
    ['~/.config/goose/config.yaml', `${yaml}D: |\n  ${HUSH}\n E: x\n`],
    ['~/.config/goose/config.yaml', `%YAML ${HUSH}\n---\n${yaml}`],
  ]
  test.each(broken)('%s: %s', async (file, text) => {
    using machine = openMachine({ [file]: text })
    const { problems } = (await machine.json(['list'])) as { readonly problems: readonly object[] }
    expect(problems.length).toBeGreaterThan(0)
    await expectSilenceOf(machine, [['list'], ['doctor', '--json']])
  })
})

describe('on the command line', () => {
  test.each([
    `{"mcpServers":{"a":{"command":"npx","env":{"TOKEN":"${HUSH}"}}}`,
    `[{"TOKEN":"${HUSH}"}]`,
    `"${HUSH}"`,
    ` {"mcpServers":{"a":{"url":"${URL}","headers":{"Authorization":"${HUSH}"}}}}`,
    `{"mcpServers":{"a":{"command":["npx","--token","${HUSH}"]}}}`,
  ])('--mcp-config %s', async (given) => {
    using machine = openMachine()
    await expectSilence(machine, [
      ['list', '--mcp-config', given],
      ['explain', '--mcp-config', given],
      ['doctor', '--mcp-config', given],
    ])
  })
})

describe('in a project', () => {
  const project: Files = { './.plugboard/mcp.json': { mcpServers: ENTRIES } }

  test('of which nothing is approved', async () => {
    using machine = openMachine(project)
    await expectSilence(machine, LINES)
  })

  test('of which one is approved and then changed: only the exact command line is shown, and only when approving', async () => {
    using machine = openMachine(project)
    const approve = async (): Promise<readonly string[]> => {
      const lines: string[] = []
      for (const name of ['started', 'reached']) {
        const { stdout, stderr } = await machine.run(['trust', 'approve', name, '--yes'])
        lines.push(...`${stdout}${stderr}`.split('\n').filter((line) => line.includes(HUSH)))
      }
      return lines.map((line) => line.trim().split(/[ :]/)[0]!)
    }
    expect(await approve()).toEqual(['runs'])
    await expectSilence(machine, LINES)
    const { started, reached } = ENTRIES
    machine.write({
      './.plugboard/mcp.json': {
        mcpServers: {
          started: { ...started, args: [...ARGS, `--secret=${HUSH}`], env: { TOKEN: `${HUSH}!`, NEW: HUSH } },
          reached: { ...reached, url: `${URL}!`, headers: { Authorization: `Bearer ${HUSH}!`, New: HUSH } },
        },
      },
    })
    await expectSilence(machine, [...LINES, ['get', 'started'], ['get', 'reached'], ['explain', 'reached']])
    expect(await approve()).toEqual(['runs', '-', '+'])
  })
})

describe('to a host that prints what the library gives', () => {
  /** In every way that values end up in a log. */
  const prints = (value: unknown): readonly string[] => [
    JSON.stringify(value),
    inspect(value),
    inspect(value, {
      depth: Infinity,
      maxStringLength: Infinity,
      maxArrayLength: Infinity,
      showHidden: true,
    }),
  ]

  const expectNothingOf = (value: unknown): void => {
    for (const text of prints(value))
      expect(text.split('\n').filter((line) => line.includes(HUSH))).toEqual([])
  }

  function createHome(files: Readonly<Record<string, unknown>>): Scratch {
    const scratch = createScratch()
    for (const [path, content] of Object.entries(files)) {
      scratch.write(path, typeof content === 'string' ? content : JSON.stringify(content))
    }
    return scratch
  }

  test.each(USER_PLACES)('$file', async (place) => {
    const [[file, text]] = Object.entries(declareAt(place, ENTRIES)) as [[string, string]]
    using scratch = createHome({ [file.replace('~', 'home')]: text })
    const catalog = await discoverServers({ world: scratch.world })
    expect(catalog.entries).toHaveLength(Object.keys(ENTRIES).length)
    expectNothingOf(catalog)
    for (const { entry } of catalog.entries) {
      expectNothingOf(entry.found)
      expectNothingOf({ ...entry.found })
      if (entry.kind === 'definition')
        for (const part of Object.values(entry.definition.transport)) expectNothingOf(part)
    }
    for (const server of catalog.servers) expectNothingOf({ ...server, ...server.transport })
    // It is all there for those who ask for it.
    expect(catalog.entries.some(({ entry }) => originalText(entry.found).includes(HUSH))).toBe(true)
  })

  test('the snapshot of a board, from its files, its settings and connectors, and a project', async () => {
    using scratch = createHome({
      'home/.config/plugboard/mcp.json': { mcpServers: ENTRIES },
      'home/.config/plugboard/settings.json': {
        connectors: [{ url: `http://user:${HUSH}@127.0.0.1:1/list?api_key=${HUSH}`, headers: { A: HUSH } }],
      },
      'home/.config/goose/config.yaml': `extensions:\n  a: &a {type: stdio, cmd: npx, args: [--api-key, ${HUSH}]}\n  b: *a\n`,
      'project/.mcp.json': { mcpServers: { ours: ENTRIES['started'] } },
    })
    await using board = await openPlugboard({ world: scratch.world, only: [] })
    const snapshot = board.snapshot()
    expect(snapshot.catalog.entries.length).toBeGreaterThan(Object.keys(ENTRIES).length)
    expectNothingOf(snapshot)
    expectNothingOf(board)
    // What is no secret can be read.
    expect(
      JSON.parse(JSON.stringify(snapshot.catalog.servers.find(({ name }) => name === 'reached'))),
    ).toMatchObject({
      name: 'reached',
      transport: {
        type: 'http',
        url: 'https://user:‹secret›@host.test/mcp?access_token=‹secret›',
        headers: { Authorization: '‹secret›', 'X-Odd': '‹secret›' },
      },
      found: { document: { file: expect.stringMatching(/mcp\.json$/) as unknown } },
    })
  })

  test('what changed since an approval', async () => {
    using machine = openMachine({ './.mcp.json': { mcpServers: { ours: ENTRIES['started'] } } })
    await machine.run(['trust', 'approve', 'ours', '--yes'])
    machine.write({
      './.mcp.json': { mcpServers: { ours: { ...ENTRIES['started'], args: ['--token', `${HUSH}-new`] } } },
    })
    using scratch = createScratch()
    const world = { ...scratch.world, home: machine.home, cwd: machine.project }
    const { entries } = await discoverServers({ world })
    expect(entries[0]!.fate).toHaveProperty('changed')
    expectNothingOf(entries)
  })
})
