/**
 * watch: the built command, told of changes as people make them.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { BIN, type Files, type Machine, openMachine } from '../../processes/plugboard.ts'
import { KEYS, runInTerminal } from '../../processes/terminal.ts'

interface Watching extends AsyncDisposable {
  readonly machine: Machine
  /** The next line of stdout. */
  next(): Promise<string>
  /** Ctrl-C. Gives the exit code. */
  interrupt(): Promise<number | null>
}

async function watching(files: Files, ...args: readonly string[]): Promise<Watching> {
  const machine = openMachine(files)
  const child = spawn(process.execPath, [BIN, 'watch', ...args], {
    cwd: machine.project,
    env: { PATH: process.env['PATH'] ?? '', HOME: machine.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => machine.shorten(String((await lines.next()).value))
  // It says so once it watches.
  if (args.includes('--json')) await next()
  else await new Promise((resolve) => child.stderr.once('data', resolve))
  return {
    machine,
    next,
    interrupt() {
      child.kill('SIGINT')
      return exit
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
      machine[Symbol.dispose]()
    },
  }
}

const CURSOR = '~/.cursor/mcp.json'

test('every change is a line, and Ctrl-C ends it', async () => {
  await using watch = await watching({ [CURSOR]: { mcpServers: { files: { command: 'files' } } } })
  const { machine, next } = watch
  machine.write({
    [CURSOR]: { mcpServers: { files: { command: 'files', args: ['-v'] }, git: { command: 'git' } } },
  })
  expect(await next()).toBe('changed files: chosen (~/.cursor/mcp.json:1:16)')
  expect(await next()).toBe('added git: chosen (~/.cursor/mcp.json:1:58)')
  machine.write({ [CURSOR]: '{ "mcpServers": {' })
  expect(await next()).toMatch(
    /^warning: this JSON file does not parse: .* \(~\/\.cursor\/mcp\.json:1:18\); what it said before still counts$/,
  )
  machine.write({ [CURSOR]: { mcpServers: { git: { command: 'git' } } } })
  expect(await next()).toBe('removed files (~/.cursor/mcp.json)')
  expect(await next()).toBe('read again ~/.cursor/mcp.json')
  machine.write({ '~/.config/plugboard/settings.json': { disabledServers: ['git'] } })
  expect(await next()).toBe('chosen before, now git: disabled (~/.cursor/mcp.json:1:16)')
  machine.write({
    '~/.config/plugboard/settings.json': { permissions: { rules: [{ tool: 'mcp__git', action: 'deny' }] } },
  })
  expect(await next()).toBe('disabled before, now git: chosen (~/.cursor/mcp.json:1:16)')
  expect(await next()).toBe('changed permissions')
  machine.write({ './.mcp.json': { mcpServers: { shop: { command: 'shop' } } } })
  expect(await next()).toBe('added shop: untrusted (./.mcp.json:1:16)')
  await machine.run(['trust', 'approve', 'shop', '--yes'])
  expect(await next()).toBe('untrusted before, now shop: chosen (./.mcp.json:1:16)')
  rmSync(machine.at('~/.cursor'), { recursive: true })
  expect(await next()).toBe('removed git (~/.cursor/mcp.json)')
  expect(await watch.interrupt()).toBe(130)
})

test('with --json every change is an object, and what does not matter is none', async () => {
  await using watch = await watching({ '~/.claude.json': { mcpServers: {} } }, '--json')
  const { machine, next } = watch
  machine.write({ '~/.claude.json': { numStartups: 7, mcpServers: {} } })
  machine.write({ [CURSOR]: { mcpServers: { git: { command: 'git' } } } })
  expect(JSON.parse(await next())).toMatchObject({
    at: expect.stringMatching(/^20/) as string,
    change: 'added',
    entry: { name: 'git', source: 'cursor', fate: { kind: 'chosen' } },
  })
  machine.write({ '~/.local/state/plugboard/permissions.json': { version: 1, grants: [] } })
  expect(JSON.parse(await next())).toMatchObject({ change: 'permissions' })
  expect(await watch.interrupt()).toBe(130)
})

test('a file of the command line must be there; when it goes later, that is told', async () => {
  const given = { './given.json': { mcpServers: { git: { command: 'git' } } } }
  await using watch = await watching(given, '--mcp-config', 'given.json')
  rmSync(watch.machine.at('./given.json'))
  expect(await watch.next()).toContain('error: ')
  watch.machine.write(given)
  const { code, stderr } = await watch.machine.run(['watch', '--mcp-config', 'none.json'])
  expect({ code, isSaid: stderr.includes('none.json') }).toEqual({ code: 2, isSaid: true })
})

test('in a terminal, Ctrl-C ends it', async () => {
  using machine = openMachine({})
  const answers = [{ when: 'Ctrl-C ends it', keys: KEYS.interrupt }]
  const { code } = await runInTerminal(machine, 'plugboard watch', { columns: 80, answers })
  expect(code).toBe(130)
})
