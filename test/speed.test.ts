/**
 * speed: `plugboard list` stays near what starting Node costs, and linear. A guard against a slip, with room for a busy
 * machine; `npm run bench` holds to the limit itself.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const BENCH = fileURLToPath(new URL('../bench/list.mjs', import.meta.url))

test('a list of 200 servers takes at most three starts of Node, and 10,000 cost no more each than 1,000', () => {
  const report = execFileSync(process.execPath, [BENCH, '--reps', '9', '--json'], { encoding: 'utf8' })
  const { start, growth } = JSON.parse(report) as { start: number; growth: number }
  expect(start).toBeLessThan(3)
  expect(growth).toBeLessThan(1.5)
})
