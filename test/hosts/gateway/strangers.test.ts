/**
 * strangers: somebody listens where our gateway would, and is told nothing.
 */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { gatewayPlaceOf } from '../../../src/world/gateway-place.ts'
import { createNodeWorld } from '../../../src/world/node/world.ts'
import { openMachine } from '../../processes/plugboard.ts'

test('a socket in a folder that others can reach, or behind a link, is not spoken to', async () => {
  using machine = openMachine({ '~/.config/plugboard/mcp.json': { mcpServers: {} } })
  const { platform, paths, pipes } = createNodeWorld()
  const { socket } = gatewayPlaceOf({ platform, env: {}, home: machine.home, paths })
  const folder = dirname(socket)
  const elsewhere = machine.at('~/elsewhere')
  mkdirSync(folder, { recursive: true })
  let visits = 0
  const stranger = createServer((pipe) => {
    visits += 1
    pipe.destroy()
  })
  await new Promise<void>((resolve) => void stranger.listen(socket, resolve))
  const visitAll = async (): Promise<void> => {
    await machine.run(['tools'])
    await machine.run(['serve', '--stdio'], { input: '' })
    await expect(pipes.connect(socket)).rejects.toMatchObject({ code: 'EACCES' })
  }
  try {
    chmodSync(folder, 0o755)
    await visitAll()
    chmodSync(folder, 0o700)
    renameSync(folder, elsewhere)
    symlinkSync(elsewhere, folder)
    await visitAll()
    expect(visits).toBe(0)
    // In a folder of this user alone it is.
    rmSync(folder)
    renameSync(elsewhere, folder)
    await machine.run(['tools'])
    expect(visits).toBe(1)
  } finally {
    await new Promise((resolve) => void stranger.close(resolve))
  }
})
