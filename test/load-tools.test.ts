/**
 * load-tools: the library opens whatever files say and whatever the host's own world throws, and says what went wrong.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { discoverServers, loadTools, openPlugboard, type World } from '../src/index.ts'
import { serverEntry } from './boards/open.ts'
import { DIST, openMachine, runChild, type Files } from './processes/plugboard.ts'
import { createScratch } from './worlds/scratch.ts'

describe('errors of loadTools', () => {
  const SCRIPT = `
    const { loadTools } = await import(process.argv[2])
    const { tools, errors, board } = await loadTools()
    await board.close()
    const found = errors.map(({ server, path, problem }) => ({ server, path, code: problem.code, line: problem.where?.line }))
    console.log(JSON.stringify({ tools: tools.map(({ name }) => name), errors: found }))
  `

  async function load(
    files: Files,
  ): Promise<{ readonly tools: readonly string[]; readonly errors: unknown }> {
    using machine = openMachine({ ...files, '~/host.mjs': SCRIPT })
    const library = pathToFileURL(join(DIST, 'index.js')).href
    const { stdout, stderr } = await runChild([process.execPath, machine.at('~/host.mjs'), library], {
      cwd: machine.project,
      env: { PATH: process.env['PATH'] ?? '', HOME: machine.home, PLUGBOARD_KEYCHAIN: 'off' },
    })
    expect(stderr).toBe('')
    return JSON.parse(machine.shorten(stdout)) as Awaited<ReturnType<typeof load>>
  }

  test('name files that cannot be read, servers that fail and entries that are wrong, each with its path', async () => {
    const { tools, errors } = await load({
      '~/.cursor/mcp.json': '{\n  "mcpServers": {\n',
      '~/.config/plugboard/mcp.json': {
        mcpServers: {
          x: serverEntry('outcomes'),
          gone: { command: 'no-such-program' },
          odd: { type: 'http' },
        },
      },
    })
    expect(tools).toContain('mcp__x__echo')
    expect(errors).toEqual([
      { path: '~/.cursor/mcp.json', code: 'discover/unparseable', line: expect.any(Number) as number },
      {
        server: 'gone',
        path: '~/.config/plugboard/mcp.json',
        code: 'connect/spawn',
        line: expect.any(Number) as number,
      },
      {
        server: 'odd',
        path: '~/.config/plugboard/mcp.json',
        code: 'normalize/invalid',
        line: expect.any(Number) as number,
      },
    ])
  })

  test('are none where a file is only to be warned of', async () => {
    const { errors } = await load({ '~/.config/plugboard/settings.json': { sorces: {} } })
    expect(errors).toEqual([])
  })
})

describe("a host's own world that throws", () => {
  const boom = (): never => {
    throw new Error('no disk today')
  }
  const FAILED = /^discovery failed: `world[.\w]*` of the host threw: no disk today$/

  const broken: readonly (readonly [string, (world: World) => World])[] = [
    ...(['read', 'kind', 'list', 'realPath'] as const).map(
      (method) =>
        [
          `files.${method}`,
          (world: World): World => ({ ...world, files: { ...world.files, [method]: boom } }),
        ] as const,
    ),
    ['paths.join', (world) => ({ ...world, paths: { ...world.paths, join: boom } })],
    ['clock.after', (world) => ({ ...world, clock: { ...world.clock, after: boom } })],
    ['env', (world) => Object.defineProperty({ ...world }, 'env', { get: boom, enumerable: true })],
  ]

  test.each(broken)(
    '%s: there is an empty board with one problem, and a synthetic path',
    async (_, breaks) => {
      using scratch = createScratch()
      const world = breaks(scratch.world)
      const { tools, errors, board } = await loadTools({
        world,
        watch: true,
        servers: { x: serverEntry('outcomes') },
      })
      expect(tools).toEqual([])
      expect(errors).toEqual([
        { path: '.mcp.json', problem: expect.objectContaining({ code: 'discover/failed' }) as unknown },
      ])
      expect(errors[0]!.problem.message).toMatch(FAILED)
      expect(board.snapshot().servers).toEqual([])
      await board.close()
      expect((await discoverServers({ world })).entries).toEqual([])
    },
  )

  test('one that only cannot watch or write works all the same', async () => {
    using scratch = createScratch()
    const { files } = scratch.world
    const rejects = (): Promise<never> => Promise.reject(new Error('no disk today'))
    const world = {
      ...scratch.world,
      files: {
        ...files,
        watch: rejects,
        write: boom,
        append: boom,
        remove: boom,
        update: boom,
        locked: boom,
      },
    }
    await using board = await openPlugboard({ world, watch: true, servers: { x: serverEntry('outcomes') } })
    expect(board.tools().map(({ name }) => name)).toContain('mcp__x__echo')
  })

  test('one that works again is read by a reload', async () => {
    using scratch = createScratch()
    let isBroken = true
    const { files } = scratch.world
    const world: World = {
      ...scratch.world,
      files: { ...files, read: (...given) => (isBroken ? boom() : files.read(...given)) },
    }
    await using board = await openPlugboard({ world, servers: { x: serverEntry('outcomes') } })
    expect(board.snapshot().problems[0]!.message).toMatch(FAILED)
    isBroken = false
    expect(await board.reload()).toMatchObject({ added: ['x'] })
    expect(board.snapshot().problems).toEqual([])
  })
})
