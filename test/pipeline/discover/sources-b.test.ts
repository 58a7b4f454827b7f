/**
 * Where the smaller agents keep their servers, and what turns them off.
 */
import { describe, expect, test } from 'vitest'
import type { Settings } from '../../../src/model/settings.ts'
import { findOurDirs, findProject } from '../../../src/pipeline/discover/project.ts'
import { createLog } from '../../../src/pipeline/discover/discover.ts'
import { createSite } from '../../../src/pipeline/discover/site.ts'
import type { Source } from '../../../src/pipeline/discover/source.ts'
import { agentCode } from '../../../src/pipeline/discover/sources/agent-code.ts'
import { agentPlugins } from '../../../src/pipeline/discover/sources/agent-plugins.ts'
import { claudeDesktop } from '../../../src/pipeline/discover/sources/claude-desktop.ts'
import { crush } from '../../../src/pipeline/discover/sources/crush.ts'
import { goose } from '../../../src/pipeline/discover/sources/goose.ts'
import { mcpJson } from '../../../src/pipeline/discover/sources/mcp-json.ts'
import { ohMyPi } from '../../../src/pipeline/discover/sources/oh-my-pi.ts'
import { xCode } from '../../../src/pipeline/discover/sources/x-code.ts'
import { xcsh } from '../../../src/pipeline/discover/sources/xcsh.ts'
import type { Platform } from '../../../src/world/world.ts'
import { createMemoryWorld, type MemoryOptions } from '../../worlds/memory.ts'

type Machine = MemoryOptions & { readonly plugins?: Settings['plugins'] }

const NO_SETTINGS: Settings = {
  sourcesOff: new Map(),
  connectors: [],
  plugins: new Map(),
  switches: new Map(),
  policy: { deny: [], allowLists: [] },
  projectDeny: [],
  permissions: { rules: [] },
  projectRules: [],
  problems: [],
}

/** What a source finds: `scope name @ file:line`, with its switch; then the problems. */
async function look(source: Source, machine: Machine): Promise<readonly string[]> {
  const world = createMemoryWorld({ cwd: '/w/shop', ...machine })
  const project = findProject(world)
  const log = createLog()
  const settings = { ...NO_SETTINGS, plugins: machine.plugins ?? NO_SETTINGS.plugins }
  const context = { world, project, dirs: findOurDirs(world, project), settings, log }
  const entries = await source.look(createSite(context, source.id))
  expect(world.commands).toEqual([])
  expect(world.reads.filter((file) => file.endsWith('rc'))).toEqual([])
  return [
    ...entries.map(({ name, origin, switch: toggled }) => {
      const by = toggled === undefined ? '' : ` ${toggled.to}: ${toggled.by.file}:${toggled.by.line}`
      return `${origin.scope} ${name} @ ${origin.file}:${origin.line}${by}`
    }),
    ...log.problems.map(({ code, where }) => `${code} @ ${where?.file}:${where?.line}:${where?.column}`),
  ]
}

const one = (name: string, more: object = {}): string =>
  JSON.stringify({ mcpServers: { [name]: { command: 'x' } }, ...more })

describe('xcsh and oh-my-pi', () => {
  test('the user comes before the project, and nearer folders before farther ones', async () => {
    const files = {
      '/w/shop/.git/HEAD': '',
      '/w/shop/.xcsh/mcp.json': one('root'),
      '/w/shop/app/.xcsh/.mcp.json': one('near'),
      '/home/ada/.xcsh/mcp.json': one('a'),
      '/home/ada/.xcsh/agent/.mcp.json': one('b'),
    }
    expect(await look(xcsh, { files, cwd: '/w/shop/app' })).toEqual([
      'user a @ /home/ada/.xcsh/mcp.json:1',
      'user b @ /home/ada/.xcsh/agent/.mcp.json:1',
      'project near @ /w/shop/app/.xcsh/.mcp.json:1',
      'project root @ /w/shop/.xcsh/mcp.json:1',
    ])
  })

  test("a list of the user's decides about every entry of that name, and off beats on", async () => {
    const files = {
      '/home/ada/.omp/agent/mcp.json':
        '{"mcpServers":{"a":{}},\n"disabledServers":["a","p"],\n"enabledServers":["a","q"]}',
      '/w/shop/.omp/mcp.json': '{"mcpServers":{"p":{},"q":{},"r":{}},\n"disabledServers":["q","r"]}',
    }
    expect(await look(ohMyPi, { files })).toEqual([
      'user a @ /home/ada/.omp/agent/mcp.json:1 off: /home/ada/.omp/agent/mcp.json:2',
      'project p @ /w/shop/.omp/mcp.json:1 off: /home/ada/.omp/agent/mcp.json:2',
      'project q @ /w/shop/.omp/mcp.json:1 on: /home/ada/.omp/agent/mcp.json:3',
      'project r @ /w/shop/.omp/mcp.json:1 off: /w/shop/.omp/mcp.json:2',
    ])
  })

  test('a list in a repository says nothing about a server of the user', async () => {
    const files = {
      '/home/ada/.omp/agent/mcp.json': one('a'),
      '/w/shop/.omp/.mcp.json': '{"disabledServers":["a"],"enabledServers":["a"]}',
    }
    expect(await look(ohMyPi, { files })).toEqual(['user a @ /home/ada/.omp/agent/mcp.json:1'])
  })

  test('a profile counts below the plain file, and its lists for itself alone', async () => {
    const files = {
      '/home/ada/.omp/agent/mcp.json': one('a'),
      '/home/ada/.omp/profiles/office/agent/mcp.json': one('b', { disabledServers: ['a', 'b'] }),
    }
    expect(await look(ohMyPi, { files })).toEqual([
      'user a @ /home/ada/.omp/agent/mcp.json:1',
      'user b @ /home/ada/.omp/profiles/office/agent/mcp.json:1 off: /home/ada/.omp/profiles/office/agent/mcp.json:1',
    ])
  })

  test("in the home directory, the user's file stays the user's", async () => {
    const files = { '/home/ada/.xcsh/mcp.json': one('a') }
    expect(await look(xcsh, { files, cwd: '/home/ada' })).toEqual(['user a @ /home/ada/.xcsh/mcp.json:1'])
  })

  test('a list that is none is a problem where it stands', async () => {
    const files = {
      '/home/ada/.xcsh/mcp.json': '{\n "disabledServers": "a",\n "enabledServers": ["b", 1]\n}',
    }
    expect(await look(xcsh, { files })).toEqual([
      'discover/wrong-list @ /home/ada/.xcsh/mcp.json:2:21',
      'discover/wrong-list @ /home/ada/.xcsh/mcp.json:3:26',
    ])
  })
})

describe('x-code', () => {
  test('looks where `X_CODE_HOME` points, and in the project', async () => {
    const files = { '/x/config.json': one('a'), '/w/shop/.x-code/config.json': one('b') }
    expect(await look(xCode, { files, env: { X_CODE_HOME: '/x' } })).toEqual([
      'user a @ /x/config.json:1',
      'project b @ /w/shop/.x-code/config.json:1',
    ])
  })
})

describe('agent-code', () => {
  const USER = '/home/ada/.config/agent-code/config.toml'
  const PROJECT = '/w/shop/.agent/settings.toml'

  test('its deny list turns off what it names, its allow list what it does not', async () => {
    const files = {
      [USER]: '[mcp_servers.a]\n[mcp_servers.b]\n[security]\nmcp_server_denylist = ["a"]\n',
      [PROJECT]: '[mcp_servers.p]\n[mcp_servers.q]\n[security]\nmcp_server_allowlist = ["p"]\n',
    }
    expect(await look(agentCode, { files })).toEqual([
      `user a @ ${USER}:1 off: ${USER}:4`,
      `user b @ ${USER}:2`,
      `project p @ ${PROJECT}:1`,
      `project q @ ${PROJECT}:2 off: ${PROJECT}:4`,
    ])
  })

  test("the user's allow list holds in the project too", async () => {
    const files = { [USER]: '[security]\nmcp_server_allowlist = ["b"]\n', [PROJECT]: '[mcp_servers.p]\n' }
    expect(await look(agentCode, { files })).toEqual([`project p @ ${PROJECT}:1 off: ${USER}:2`])
  })

  test('an empty allow list allows everything', async () => {
    const files = { [USER]: '[security]\nmcp_server_allowlist = []\n[mcp_servers.a]\n' }
    expect(await look(agentCode, { files })).toEqual([`user a @ ${USER}:3`])
  })
})

describe('claude-desktop', () => {
  test.each<[Platform, string, Readonly<Record<string, string>>]>([
    ['linux', '/cfg/Claude/claude_desktop_config.json', { XDG_CONFIG_HOME: '/cfg' }],
    ['darwin', '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json', {}],
    [
      'win32',

      'D:\\Roaming\\Claude\\claude_desktop_config.json',
      { APPDATA: 'D:\\Roaming' },
    ],
  ])('keeps one file of the user (%s)', async (platform, file, env) => {
    const cwd = platform === 'win32' ? 'C:\\w' : '/w'
    expect(await look(claudeDesktop, { platform, cwd, env, files: { [file]: one('My Server') } })).toEqual([
      `user My Server @ ${file}:1`,
    ])
  })
})

describe('mcp-json', () => {
  test('reads both root files, nearest directory first, up to the git root', async () => {
    const files = {
      '/w/shop/.git/HEAD': '',
      '/w/.mcp.json': one('outside'),
      '/w/shop/.mcp.json': one('c'),
      '/w/shop/app/mcp.json': one('b'),
      '/w/shop/app/.mcp.json': one('a'),
    }
    expect(await look(mcpJson, { files, cwd: '/w/shop/app' })).toEqual([
      'project a @ /w/shop/app/.mcp.json:1',
      'project b @ /w/shop/app/mcp.json:1',
      'project c @ /w/shop/.mcp.json:1',
    ])
  })
})

describe('goose', () => {
  test('reads the extensions of the user', async () => {
    const file = '/home/ada/.config/goose/config.yaml'
    expect(
      await look(goose, { files: { [file]: 'GOOSE_MODE: auto\nextensions:\n  a:\n    cmd: x\n' } }),
    ).toEqual([`user a @ ${file}:3`])
  })
})

describe('crush', () => {
  test('the hidden file of a directory comes first, and scripts are named but not read', async () => {
    const servers = (name: string): string => JSON.stringify({ mcp: { [name]: {} } })
    const files = {
      '/home/ada/.config/crush/crush.json': servers('u'),
      '/home/ada/.config/crush/crushrc': 'mcp add x',
      '/w/shop/crush.json': servers('b'),
      '/w/shop/.crush.json': servers('a'),
      '/w/shop/.crushrc': '$(rm -rf /)',
    }
    expect(await look(crush, { files })).toEqual([
      'user u @ /home/ada/.config/crush/crush.json:1',
      'project a @ /w/shop/.crush.json:1',
      'project b @ /w/shop/crush.json:1',
      'discover/crushrc @ /home/ada/.config/crush/crushrc:undefined:undefined',
      'discover/crushrc @ /w/shop/.crushrc:undefined:undefined',
    ])
  })

  test('`CRUSH_GLOBAL_CONFIG` names the folder of the user', async () => {
    const files = {
      '/c/crush.json': '{"mcp":{"a":{}}}',
      '/home/ada/.config/crush/crush.json': '{"mcp":{"b":{}}}',
    }
    expect(await look(crush, { files, env: { CRUSH_GLOBAL_CONFIG: '/c' } })).toEqual([
      'user a @ /c/crush.json:1',
    ])
  })
})

describe('agent-plugins', () => {
  const SCHEMA = 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json'
  const FILE = '/home/ada/.config/plugboard/plugins/p/mcp.json'

  test('a plugin that names the schema is one, and can be turned off', async () => {
    const files = { [FILE]: JSON.stringify({ $schema: SCHEMA, mcpServers: { a: {} } }) }
    expect(await look(agentPlugins, { files })).toEqual([`plugin a @ ${FILE}:1`])
    const plugins = new Map([['p', { isOn: false, by: { file: '/s.json', line: 3, column: 1 } }]])
    expect(await look(agentPlugins, { files, plugins })).toEqual([`plugin a @ ${FILE}:1 off: /s.json:3`])
  })

  test('a plugin without `$schema` is none', async () => {
    expect(await look(agentPlugins, { files: { [FILE]: one('a') } })).toEqual([])
  })

  test.each([
    [`{\n  "$schema": "${SCHEMA.replace('1.0.0', '2.0.0')}",\n  "mcpServers": {}\n}`, '2:14'],
    [`{\n  "$schema": "${SCHEMA}",\n  "mcpServers": {},\n  "servers": {}\n}`, '4:3'],
  ])('%j is one problem and no server', async (text, spot) => {
    expect(await look(agentPlugins, { files: { [FILE]: text } })).toEqual([
      `discover/agent-plugin-schema @ ${FILE}:${spot}`,
    ])
  })
})
