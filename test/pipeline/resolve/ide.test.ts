/**
 * Servers of editor extensions, also across the border between WSL and Windows.
 */
import { describe, expect, test } from 'vitest'
import { reveal } from '../../../src/model/launch.ts'
import { toWindowsPath, toWslPath } from '../../../src/pipeline/resolve/windows-paths.ts'
import type { MemoryOptions } from '../../worlds/memory.ts'
import { headersOf, launchIn, secretsOf, worldWith } from './launching.ts'

describe('ws-ide and sse-ide', () => {
  test('become the wire they are, with the token in the header that the extensions read', async () => {
    const entry = { type: 'ws-ide', url: 'ws://127.0.0.1:4711', ideName: 'Code', authToken: 'tok-1' }
    const launch = await launchIn(worldWith('ours', entry))
    expect(launch.transport).toMatchObject({ kind: 'ws', url: 'ws://127.0.0.1:4711', protocols: ['mcp'] })
    expect(headersOf(launch)).toEqual({ 'X-Claude-Code-Ide-Authorization': 'tok-1' })
    expect(secretsOf(launch)).toEqual(['tok-1'])
  })

  test('without a token send none', async () => {
    const entry = { type: 'sse-ide', url: 'http://127.0.0.1:4711/sse', ideName: 'Code' }
    expect((await launchIn(worldWith('ours', entry))).transport).toEqual({
      kind: 'sse',
      url: 'http://127.0.0.1:4711/sse',
      headers: new Map(),
      fallback: 'none',
    })
  })
})

describe('an editor in Windows, seen from WSL', () => {
  const wsl = { WSL_DISTRO_NAME: 'Ubuntu' }
  const resolv = (host: string): Readonly<Record<string, string>> => ({
    '/etc/resolv.conf': `# generated\nsearch x\nnameserver ${host}\n`,
  })

  test.each<[string, object, MemoryOptions, string]>([
    ['is reached at the host', {}, { env: wsl, files: resolv('172.22.0.1') }, 'ws://172.22.0.1:4711/x'],
    ['stays where it is without WSL', {}, { files: resolv('172.22.0.1') }, 'ws://localhost:4711/x'],
    ['stays where it is when nothing names the host', {}, { env: wsl }, 'ws://localhost:4711/x'],
    [
      'stays where it is when DNS goes through a tunnel',
      {},
      { env: wsl, files: resolv('10.255.255.254') },
      'ws://localhost:4711/x',
    ],
    [
      'stays where it is when the editor is in WSL, too',
      { ideRunningInWindows: false },
      { env: wsl, files: resolv('172.22.0.1') },
      'ws://localhost:4711/x',
    ],
    [
      'stays where it is at any other address',
      { url: 'ws://10.0.0.7:4711/x' },
      { env: wsl, files: resolv('172.22.0.1') },
      'ws://10.0.0.7:4711/x',
    ],
  ])('%s', async (_, more, options, expected) => {
    const entry = {
      type: 'ws-ide',
      url: 'ws://localhost:4711/x',
      ideName: 'Code',
      ideRunningInWindows: true,
      ...more,
    }
    const { transport } = await launchIn(worldWith('ours', entry, options))
    if (transport.kind !== 'ws') throw new Error('not a WebSocket')
    expect(reveal(transport.url)).toBe(expected)
  })
})

describe('paths', () => {
  test.each([
    ['/mnt/c/src/shop', 'C:\\src\\shop'],
    ['/mnt/d', 'D:\\'],
    ['/home/ada/shop', '\\\\wsl$\\Ubuntu\\home\\ada\\shop'],
    ['/mnt/data/x', '\\\\wsl$\\Ubuntu\\mnt\\data\\x'],
  ])('%s is %s to Windows', (wsl, windows) => {
    expect(toWindowsPath(wsl, 'Ubuntu')).toBe(windows)
  })

  test.each([
    ['C:\\src\\shop', '/mnt/c/src/shop'],
    ['d:/src', '/mnt/d/src'],
    ['D:\\', '/mnt/d'],
    ['\\\\wsl$\\Ubuntu\\home\\ada', '/home/ada'],
    ['\\\\wsl.localhost\\ubuntu\\home', '/home'],
    ['\\\\wsl$\\Ubuntu', '/'],
    ['\\\\wsl$\\Debian\\home', '\\\\wsl$\\Debian\\home'],
    ['/already/there', '/already/there'],
  ])('%s is %s to WSL', (windows, wsl) => {
    expect(toWslPath(windows, 'Ubuntu')).toBe(wsl)
  })
})
