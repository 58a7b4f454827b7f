/**
 * Which values are kept out of logs, and that a launch does not show them.
 */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/base/secret.ts'
import { launchIn, secretsOf, withShell, worldWith } from './launching.ts'

async function secretsOfEntry(
  entry: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  return secretsOf(await launchIn(worldWith('cursor', { command: 'npx', ...entry }, { env })))
}

describe('variables of a server', () => {
  test.each([
    ['by its name', 'API_KEY', 'swordfish', ['swordfish']],
    ['by its name, in any case', 'dbPassword', 'swordfish', ['swordfish']],
    ['by its look', 'VALUE', 'a1b2c3d4e5f6', ['a1b2c3d4e5f6']],
    [
      'by the password in an address',
      'DATABASE',
      'pg://ada:swordfish@db/x',
      ['pg://ada:swordfish@db/x', 'swordfish'],
    ],
    ['by the shape of a part', 'OPTIONS', 'k sk-abcdefghijklmnop', ['sk-abcdefghijklmnop']],
  ])('a value is a secret %s', async (_, name, value, secrets) => {
    expect(await secretsOfEntry({ env: { [name]: value } })).toEqual(secrets)
  })

  test.each([
    ['shorter than four characters', 'API_KEY', 'abc'],
    ['a switch', 'USE_AUTH', 'true'],
    ['a path', 'FOLDER', '/opt/tools2/versions/14'],
    ['an address', 'SERVER', 'https://eu1.example.com:8443/v2'],
    ['a word', 'MODE', 'fast'],
    ['letters only', 'TITLE', 'averylongwordindeed'],
  ])('a value that is %s is none', async (_, name, value) => {
    expect(await secretsOfEntry({ env: { [name]: value } })).toEqual([])
  })

  test('a variable with a secret name gives a secret, wherever it is put', async () => {
    const entry = { args: ['--x', 'pre-${MY_TOKEN}'], env: { A: '${MY_TOKEN}' } }
    expect(await secretsOfEntry(entry, { MY_TOKEN: 'swordfish' })).toEqual(['swordfish'])
  })
})

describe('arguments', () => {
  test.each([
    [['--api-key', 'swordfish'], ['swordfish']],
    [['--api-key=swordfish'], ['swordfish']],
    [['--token=/base64/like+this'], ['/base64/like+this']],
    [['-e', 'DB_PASSWORD=swordfish'], ['swordfish']],
    [
      ['--header', 'Authorization: Bearer swordfish'],
      ['Bearer swordfish', 'swordfish'],
    ],
    [['x8Kq2Lm9Pz4R'], ['x8Kq2Lm9Pz4R']],
    [['https://mcp.example/mcp?token=swordfish'], ['swordfish']],
    [['--db=pg://ada:swordfish@db/x'], ['swordfish']],
    [['-y', '@acme/sqlite3-server@1.2.0'], []],
    [['mcp-neo4j-cypher@0.2.1', '--model', 'gpt-4o-mini-2024-07-18'], []],
    [['--api-key', '--verbose'], []],
    [['--folder=C:\\tools14\\bin\\version2'], []],
    [['/opt/tools14/bin/version2', '--port=18080'], []],
  ])('%o', async (args, secrets) => {
    expect(await secretsOfEntry({ args })).toEqual(secrets)
  })
})

test('printing a launch shows no secret, however it is printed', async () => {
  const remote = {
    url: 'https://ada:pw-one@mcp.example/mcp?key=pw-two',
    headers: { 'X-A': 'pw-three', 'X-B': '!op', 'X-C': '${C}' },
    headersHelper: 'helper',
  }
  const local = {
    command: '${PROGRAM}',
    args: ['--token', 'pw-four', '${C}'],
    env: { API_KEY: 'pw-five', B: '!op', C: 'C' },
    envFile: '/x.env',
    auth: { type: 'oauth' },
  }
  const env = { C: 'pw-six', PROGRAM: '/pw-seven', https_proxy: 'http://a:pw-eight@p' }
  const credentials = { find: async () => new Secret('pw-nine') }
  for (const entry of [remote, local]) {
    const world = worldWith('ours', entry, { env, files: { '/x.env': 'D=pw-ten' } })
    const shell = withShell(world, (command) => ({
      stdout: command === 'op' ? 'pw-eleven' : '{"X-D":"pw-twelve"}',
      exitCode: 0,
    }))
    const launch = await launchIn(shell, { credentials })
    expect(launch.problems).toEqual([])
    const transport = Object.entries(launch.transport).map(([name, value]) => `${name}=${String(value)}`)
    const maps = Object.values(launch.transport).flatMap((value) => (value instanceof Map ? [...value] : []))
    const printed = [
      String(launch),
      JSON.stringify(launch),
      inspect(launch, { depth: 9, showHidden: true }),
      transport.join(),
      maps.join(),
      JSON.stringify(maps),
    ].join('\n')
    expect(printed).toContain('‹secret›')
    expect(printed).not.toContain('pw-')
  }
})
