/**
 * search and install, as their users run them, against a registry on this machine.
 */
import { chmodSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openMachine, type Machine, type Ran } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'
import { sendJson, serve, type Loopback } from '../../servers/http/loopback.ts'
import { serveRegistry, type Published } from '../../servers/http/registry.ts'

const GOOD = fileURLToPath(new URL('../../servers/well-behaved.mjs', import.meta.url))

const stdio = { transport: { type: 'stdio' } }

const PUBLISHED: readonly Published[] = [
  ...Array.from({ length: 7 }, (_, i): Published => ({
    server: { name: `io.github.many/filler-${i}`, version: '1.0.0', description: 'one of many' },
  })),
  {
    server: { name: 'io.github.acme/weather', version: '0.9.0', description: 'old', packages: [] },
  },
  {
    server: {
      name: 'io.github.acme/weather',
      title: 'Weather',
      version: '1.0.2',
      description: 'Forecasts for agents',
      repository: { url: 'https://git.example.test/acme/weather', source: 'github' },
      packages: [
        {
          registryType: 'npm',
          registryBaseUrl: 'https://packages.example.test',
          identifier: '@acme/weather',
          version: '1.0.2',
          ...stdio,
          packageArguments: [{ type: 'named', name: '--units', value: 'metric' }],
          environmentVariables: [
            { name: 'WEATHER_KEY', description: 'Your key', isRequired: true, isSecret: true },
            { name: 'LOG_LEVEL', default: 'info' },
          ],
        },
        { registryType: 'pypi', identifier: 'acme-weather', version: '1.0.2', ...stdio },
      ],
      remotes: [{ type: 'streamable-http', url: 'https://weather.example.test/mcp' }],
    },
  },
  { server: { name: 'com.other/weather', version: '2.0.0', description: 'Clouds only' } },
  {
    server: {
      name: 'com.notion/mcp',
      version: '1.0.0',
      description: 'Notes',
      remotes: [{ type: 'sse', url: 'https://notes.example.test/sse' }],
    },
    status: 'deprecated',
    statusMessage: 'use another',
  },
  { server: { name: 'com.gone/gone', version: '1.0.0', description: 'gone' }, status: 'deleted' },
  {
    server: {
      name: 'com.evil/evil',
      version: '1.0.0',
      description: 'ev\u001b[31mil',
      packages: [
        {
          registryType: 'npm',
          identifier: 'evil',
          ...stdio,
          environmentVariables: [{ name: 'A', value: '!sh' }],
        },
      ],
    },
  },
]

let registry: Loopback
let machine: Machine
beforeAll(async () => {
  registry = await serveRegistry(PUBLISHED, { pageSize: 3 })
})
afterAll(() => registry[Symbol.asyncDispose]())
beforeEach(() => {
  machine = openMachine({ '~/.config/plugboard/settings.json': { registry: registry.origin } })
  // Stands for the package, whatever it is called.
  machine.write({ '~/bin/npx': `#!/bin/sh\nexec "${process.execPath}" "${GOOD}"\n` })
  chmodSync(machine.at('~/bin/npx'), 0o755)
})
afterEach(() => machine[Symbol.dispose]())

const path = (): string => `${machine.at('~/bin')}:${machine.bin}:${process.env['PATH']}`
const run = async (...args: readonly string[]): Promise<Ran> => {
  const { code, stdout, stderr } = await machine.run(args, { env: { PATH: path() } })
  const clean = (text: string): string =>
    machine
      .shorten(text)
      .replaceAll(registry.origin, '<registry>')
      .replaceAll(/(?<=in |after )\d+(?:\.\d+)? m?s/g, '<time>')
  return { code, stdout: clean(stdout), stderr: clean(stderr) }
}
const entries = (): unknown =>
  (
    JSON.parse(readFileSync(machine.at('~/.config/plugboard/mcp.json'), 'utf8')) as {
      readonly mcpServers: unknown
    }
  ).mcpServers

describe('search', () => {
  test('shows the latest of each, over all pages', async () => {
    expect(await run('search', 'weather')).toEqual({
      code: 0,
      stdout: [
        'NAME                    VERSION  AS                 DESCRIPTION',
        'io.github.acme/weather  1.0.2    npm, pypi, remote  Forecasts for agents',
        'com.other/weather       2.0.0                       Clouds only',
        '',
      ].join('\n'),
      stderr: '',
    })
    const { stdout } = await run('search', 'filler', '--limit', '5')
    expect(stdout.match(/filler-\d/g)).toEqual(['filler-0', 'filler-1', 'filler-2', 'filler-3', 'filler-4'])
    expect(stdout).toContain('there may be more (--limit 10)')
  })

  test('several words are all looked for, in descriptions too', async () => {
    expect((await run('search', 'Clouds', 'weather')).stdout).toContain('com.other/weather')
    expect((await run('search', 'clouds weather')).stdout).not.toContain('acme')
    expect((await run('search', 'forecasts', 'acme')).stdout).toContain('io.github.acme/weather')
    expect((await run('search', 'nosuch')).stdout).toBe('the registry has no such server\n')
  })

  test('what was taken out is not shown, what is old says so, and nothing reaches the terminal', async () => {
    expect((await run('search', 'gone')).stdout).toBe('the registry has no such server\n')
    expect((await run('search', 'notion')).stdout).toContain('deprecated: Notes')
    const { stdout } = await run('search', 'evil')
    expect(stdout).not.toContain('\u001b')
  })

  test('as JSON', async () => {
    expect(await machine.json(['search', 'acme'])).toEqual({
      registry: registry.origin,
      servers: [
        {
          name: 'io.github.acme/weather',
          title: 'Weather',
          description: 'Forecasts for agents',
          version: '1.0.2',
          status: 'active',
          repository: 'https://git.example.test/acme/weather',
          using: ['npm', 'pypi', 'remote'],
        },
      ],
    })
  })
})

describe('install', () => {
  const CONSENT = [
    'io.github.acme/weather 1.0.2',
    '  about      Forecasts for agents',
    '  from       npm package @acme/weather 1.0.2, published at https://packages.example.test',
    '  source     https://git.example.test/acme/weather',
    '  runs       npx -y @acme/weather@1.0.2 --units metric',
  ]

  test('shows the whole command, and adds it', async () => {
    const { code, stdout } = await run('install', 'io.github.acme/weather', '--yes')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        ...CONSENT,
        '  variables  WEATHER_KEY=${WEATHER_KEY}',
        '  goes to    ~/.config/plugboard/mcp.json, as `weather`',
        'added `weather` to ~/.config/plugboard/mcp.json (user scope)',
        'ready in <time>, 2 tools: echo, slow',
        '',
      ].join('\n'),
    })
    expect(entries()).toEqual({
      weather: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@acme/weather@1.0.2', '--units', 'metric'],
        env: { WEATHER_KEY: '${WEATHER_KEY}' },
      },
    })
  })

  test('does nothing where nobody can be asked', async () => {
    const { code, stdout, stderr } = await run('install', 'io.github.acme/weather')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('error: nobody can be asked whether `weather` may be installed\n')
    for (const line of CONSENT) expect(stderr).toContain(`  ${line}\n`)
    expect(entries).toThrow('ENOENT')
  })

  test('with values, a way and a name of its user', async () => {
    const args = [
      '--using',
      'npm',
      '--name',
      'sky',
      '-e',
      'WEATHER_KEY=hunter2',
      '-e',
      'EXTRA=hunter3',
      '-y',
      '--no-check',
    ]
    const { code, stdout } = await run('install', 'io.github.acme/weather', ...args)
    expect(code).toBe(0)
    expect(stdout).toContain('  variables  WEATHER_KEY=‹secret›, EXTRA=‹secret›\n')
    expect(entries()).toMatchObject({ sky: { env: { WEATHER_KEY: 'hunter2', EXTRA: 'hunter3' } } })
  })

  test('as a remote, by the end of its name', async () => {
    const { code, stdout } = await run('install', 'mcp', '--yes', '--no-check')
    expect(code).toBe(0)
    expect(stdout).toContain('  status     deprecated use another\n')
    expect(stdout).toContain('  reaches    https://notes.example.test/sse\n')
    expect(entries()).toEqual({ notion: { type: 'sse', url: 'https://notes.example.test/sse' } })
  })

  test('asks on a terminal: which way, for what it needs, and whether', async () => {
    const { code, text } = await runInTerminal(machine, 'plugboard install io.github.acme/weather', {
      columns: 100,
      env: { PATH: path() },
      answers: [
        { when: 'In which way?', keys: KEYS.enter },
        { when: 'WEATHER_KEY: Your key', keys: `hunter2${KEYS.enter}` },
        { when: 'Install it?', keys: KEYS.down + KEYS.enter },
      ],
    })
    expect({ code, isShown: text.includes('hunter2') }).toEqual({ code: 0, isShown: false })
    expect(text).toContain('An MCP server can do whatever you can')
    expect(text).toContain('runs       npx -y @acme/weather@1.0.2 --units metric')
    expect(entries()).toMatchObject({ weather: { env: { WEATHER_KEY: 'hunter2' } } })
  })

  test('the answer that is offered first installs nothing', async () => {
    const { code } = await runInTerminal(machine, 'plugboard install mcp', {
      columns: 100,
      env: { PATH: path() },
      answers: [{ when: 'Install it?', keys: KEYS.enter }],
    })
    expect(code).toBe(5)
    expect(entries).toThrow('ENOENT')
  })

  const refused: readonly (readonly [string, readonly string[], string])[] = [
    ['one of several', ['weather'], '2 servers of the registry are called `weather`'],
    [
      'one that is not there',
      ['io.github.acme/nothing'],
      'the registry has no server `io.github.acme/nothing`',
    ],
    [
      'a version that is not there',
      ['io.github.acme/weather@7'],
      'the registry has no server `io.github.acme/weather@7`',
    ],
    ['one that was taken out', ['com.gone/gone'], '`com.gone/gone` was taken out of the registry'],
    [
      'one without anything',
      ['com.other/weather'],
      '`com.other/weather` cannot be installed from what the registry says',
    ],
    [
      'one that would run a command',
      ['com.evil/evil'],
      '`com.evil/evil` cannot be installed from what the registry says',
    ],
    [
      'a way that there is not',
      ['com.notion/mcp', '--using', 'npm'],
      '`com.notion/mcp` cannot be had as `npm`',
    ],
    [
      'variables for a remote',
      ['com.notion/mcp', '-e', 'A=b'],
      '`--env` is for servers that are started; this one is reached',
    ],
    [
      'another registry that is none',
      ['x', '--registry', 'ftp://x'],
      '`ftp://x` is not the address of a registry',
    ],
  ]
  test.each(refused)('refuses %s', async (_, args, message) => {
    const { code, stderr } = await run('install', ...args, '--yes')
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: `error: ${message}` })
    expect(entries).toThrow('ENOENT')
  })

  test('a name that is taken ends it before anything is asked', async () => {
    await run('add', 'notion', '--no-check', '--', 'npx')
    const { code, stderr } = await run('install', 'com.notion/mcp')
    expect(code).toBe(2)
    expect(stderr).toContain('error: Server "notion" already exists in ~/.config/plugboard/mcp.json\n')
  })
})

describe('a registry that', () => {
  test('answers with another server than was asked for is none', async () => {
    await using liar = await serve((request) => sendJson(request, { server: PUBLISHED[0]!.server }))
    const { code, stderr } = await run('install', 'com.notion/mcp', '--yes', '--registry', liar.origin)
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not an MCP registry'),
    })
  })

  test.each([
    [
      'is a web page',
      (body: Parameters<typeof sendJson>[0]) => void body.response.end('<html>'),
      'what answered is not an MCP registry',
    ],
    [
      'fails',
      (body: Parameters<typeof sendJson>[0]) => sendJson(body, {}, 500),
      'the registry could not be asked: it answered with status 500',
    ],
    [
      'sends elsewhere',
      ({ response }: Parameters<typeof sendJson>[0]) =>
        void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'the registry could not be asked: unexpected redirect',
    ],
  ])('%s', async (_, answer, message) => {
    await using broken = await serve(answer)
    const { code, stderr } = await run('search', 'x', '--registry', broken.origin)
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 1, first: `error: ${message}` })
  })

  test('goes on for ever with the same page is left', async () => {
    await using loop = await serve((request) =>
      sendJson(request, { servers: [], metadata: { nextCursor: String(loop.received.length) } }),
    )
    expect((await run('search', 'x', '--registry', loop.origin)).code).toBe(0)
    expect(loop.received.length).toBe(10)
  })

  test('has the version of its API in its address is asked there', async () => {
    await using other = await serve((request) => sendJson(request, { servers: [] }))
    await run('search', 'x', '--registry', `${other.origin}/sub/v0.1/`)
    expect(other.received[0]!.path).toMatch(/^\/sub\/v0\.1\/servers\?/)
  })

  test('a repository names is not asked', async () => {
    machine.write({ './.plugboard/settings.json': { registry: 'http://127.0.0.1:1' } })
    expect((await run('search', 'weather')).stdout).toContain('acme')
  })
})
