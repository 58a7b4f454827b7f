import { describe, expect, test } from 'vitest'
import type { AdmittedServer } from '../../src/model/catalog.ts'
import { forIde } from '../../src/runtime/ide-roots.ts'
import { loadCatalog } from '../../src/runtime/load-catalog.ts'
import { createMemoryWorld } from '../worlds/memory.ts'

const WSL = { WSL_DISTRO_NAME: 'Ubuntu' }

async function rootsOf(
  ideRunningInWindows: boolean,
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  const world = createMemoryWorld({ env })
  const ide = { type: 'ws-ide', url: 'ws://127.0.0.1:4', ideName: 'VS Code', ideRunningInWindows }
  const { catalog } = await loadCatalog(world, { servers: { ide }, strict: true })
  const roots = async (): Promise<{ uri: string; name?: string }[]> => [
    { uri: 'file:///mnt/c/src/my%20shop', name: 'shop' },
    { uri: 'file:///home/ada/shop' },
    { uri: 'https://elsewhere.test/' },
  ]
  return forIde(catalog.servers[0] as AdmittedServer, { roots }, world).roots!({
    server: 'ide',
    signal: new AbortController().signal,
  })
}

describe('the roots of a server that an editor runs', () => {
  test('are Windows paths when the editor is on the other side of WSL', async () => {
    expect(await rootsOf(true, WSL)).toEqual([
      { uri: 'file:///C:/src/my%20shop', name: 'shop' },
      { uri: 'file://wsl$/Ubuntu/home/ada/shop' },
      { uri: 'https://elsewhere.test/' },
    ])
  })

  test.each([
    ['the editor is on this side', false, WSL],
    ['this is no WSL', true, {}],
  ])('stay as they are when %s', async (_, isAcross, env) => {
    expect(await rootsOf(isAcross, env)).toEqual([
      { uri: 'file:///mnt/c/src/my%20shop', name: 'shop' },
      { uri: 'file:///home/ada/shop' },
      { uri: 'https://elsewhere.test/' },
    ])
  })
})
