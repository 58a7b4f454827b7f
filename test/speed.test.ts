/**
 * speed: a permission check costs about a look-up, tools about as much as copies of them; the shell is on the screen before
 * any server is. A guard against a slip, with room for a busy machine; `npm run bench:permit`, `bench:tools` and
 * `bench:shell` hold to the limits themselves.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const benchAt = (name: string): string => fileURLToPath(new URL(`../bench/${name}.mjs`, import.meta.url))

test('a permission check with 1,000 rules takes at most 20 look-ups in a Map', () => {
  const report = execFileSync(process.execPath, [benchAt('permit'), '--reps', '5', '--json'], {
    encoding: 'utf8',
  })
  expect((JSON.parse(report) as { ratio: number }).ratio).toBeLessThan(20)
})

test('names and schemas for a provider cost no more than three copies of the tools', () => {
  const args = [benchAt('names'), '--reps', '5', '--count', '1464', '--json']
  const { names } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    names: Record<string, number>
  }
  expect(Object.values(names).filter((ratio) => ratio > 3)).toEqual([])
  expect(Object.keys(names).length).toBe(6)
})

test('the shell with 20 servers that never answer is on the screen within a few starts of Node', () => {
  const args = [benchAt('shell'), '--reps', '5', '--json']
  const { ratio } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    ratio: number
  }
  expect(ratio).toBeLessThan(9)
})
