/**
 * audit-files: the audit log of the built gateway over days, and when there is more than is to be kept.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { startServing, tokenOf, type ServingProcess } from '../../processes/serve.ts'
import { connectClient, httpTransport, writeSettings, type TestClient } from './open.ts'

/** On a busy machine. */
const SOON = { timeout: 20_000 }

const DAY_MS = 24 * 3600 * 1000

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

function configure(machine: Machine, gateway: object): void {
  writeSettings(machine.home, { servers: { x: serverEntry('well-behaved') }, gateway })
}

const connectTo = (machine: Machine, { url }: ServingProcess): Promise<TestClient> =>
  connectClient(httpTransport(new URL('/mcp/x', url), tokenOf(machine)), { era: 'modern' })

const filesOf = (machine: Machine): readonly string[] =>
  readdirSync(machine.at('./log')).filter((name) => name.endsWith('.jsonl'))

const readLines = (machine: Machine, name: string): readonly Record<string, unknown>[] =>
  readFileSync(machine.at(`./log/${name}`), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('each day has its file, nothing is overwritten, and what is too old is dropped and told of', async () => {
  const yesterday = dayBefore(1)
  const old = dayBefore(11)
  const kept = dayBefore(9)
  using machine = openMachine({
    './log/audit.jsonl': '{"of":"yesterday"}\n',
    [`./log/audit.${yesterday}.jsonl`]: '{"of":"the first of yesterday"}\n',
    [`./log/audit.${old}.jsonl`]: '{"of":"long ago"}\n',
    [`./log/audit.${kept}.jsonl`]: '{"of":"not so long ago"}\n',
    './log/audit.notes.jsonl': 'mine',
    [`./log/other.${old}.jsonl`]: 'mine',
  })
  const then = new Date(Date.now() - DAY_MS)
  utimesSync(machine.at('./log/audit.jsonl'), then, then)
  configure(machine, { auditKeepDays: 10 })
  await using gateway = await startServing(machine, '--http', '0', '--audit', 'log/audit.jsonl')
  await gateway.until(`the audit log dropped \`audit.${old}.jsonl\` (1 KB) for its age`)
  await using test = await connectTo(machine, gateway)
  await test.client.callTool({ name: 'echo', arguments: { text: 'well' } })
  await expect.poll(() => readLines(machine, 'audit.jsonl').length, SOON).toBe(2)
  expect(filesOf(machine)).toEqual(
    [
      'audit.jsonl',
      `audit.${yesterday}.jsonl`,
      `audit.${yesterday}.2.jsonl`,
      `audit.${kept}.jsonl`,
      'audit.notes.jsonl',
      `other.${old}.jsonl`,
    ].sort(),
  )
  expect(readLines(machine, `audit.${yesterday}.jsonl`)).toEqual([{ of: 'the first of yesterday' }])
  expect(readLines(machine, `audit.${yesterday}.2.jsonl`)).toEqual([{ of: 'yesterday' }])
  expect(readLines(machine, 'audit.jsonl')).toEqual([
    { at: expect.any(String) as string, dropped: `audit.${old}.jsonl`, bytes: 18, why: 'age' },
    expect.objectContaining({ tool: 'echo', outcome: 'done' }),
  ])
  expect(statSync(machine.at('./log/audit.jsonl')).mode & 0o777).toBe(0o600)
})

test('what is more than is to be kept goes, the oldest first, and no line that is left is missing', async () => {
  using machine = openMachine()
  configure(machine, { auditKeepMegabytes: 1, auditArguments: true })
  await using gateway = await startServing(machine, '--http', '0', '--audit', 'log/audit.jsonl')
  await using test = await connectTo(machine, gateway)
  const args = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`a${i}`, 'soup '.repeat(199)]))
  const calls = 100
  for (let i = 0; i < calls; i += 1)
    await test.client.callTool({ name: 'echo', arguments: { ...args, text: `call ${i}` } })
  await gateway.until('for its size: `gateway.auditKeepMegabytes` is 1')
  const live = (): string => readFileSync(machine.at('./log/audit.jsonl'), 'utf8')
  await expect.poll(live, SOON).toContain(`call ${calls - 1}"`)
  const today = dayBefore(0)
  const order = (name: string): number =>
    name === 'audit.jsonl' ? Infinity : Number(/\.(\d+)\.jsonl$/.exec(name)?.[1] ?? 1)
  const names = [...filesOf(machine)].sort((a, b) => order(a) - order(b))
  const bytes = names.reduce((sum, name) => sum + statSync(machine.at(`./log/${name}`)).size, 0)
  expect(bytes).toBeLessThan(1.3 * 1024 * 1024)
  expect(names.filter((name) => name.startsWith(`audit.${today}`)).length).toBeGreaterThan(1)
  const lines = names.flatMap((name) => readLines(machine, name))
  const said = lines.flatMap(({ arguments: given }) =>
    given === undefined ? [] : [(given as { readonly text: string }).text],
  )
  const first = Number(said[0]!.slice('call '.length))
  expect(first).toBeGreaterThan(0)
  expect(said).toEqual(Array.from({ length: calls - first }, (_, i) => `call ${first + i}`))
  expect(lines.filter(({ why }) => why === 'size').length).toBeGreaterThan(0)
})

test('lines that cannot be written are counted, on stderr and in the log', async () => {
  using machine = openMachine()
  configure(machine, {})
  await using gateway = await startServing(machine, '--http', '0', '--audit', 'log/audit.jsonl')
  await using test = await connectTo(machine, gateway)
  const file = machine.at('./log/audit.jsonl')
  rmSync(file)
  mkdirSync(file)
  await test.client.callTool({ name: 'echo', arguments: { text: 'lost' } })
  await gateway.until('cannot be written: calls go on, and are not written down')
  rmSync(file, { recursive: true })
  await test.client.callTool({ name: 'echo', arguments: { text: 'well' } })
  await gateway.until('the audit log can be written again; lines that were lost: 1')
  expect(readLines(machine, 'audit.jsonl')).toEqual([
    { at: expect.any(String) as string, lost: 1 },
    expect.objectContaining({ tool: 'echo', outcome: 'done' }),
  ])
})
