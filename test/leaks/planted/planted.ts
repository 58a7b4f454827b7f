/**
 * planted: one test that prints a secret in the way that `PLANTED` says, or does not.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { noteSecret } from '../secrets.ts'

const secret = `planted-${randomUUID()}`

const ways: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  // oxlint-disable-next-line no-console
  console: () => console.log(secret),
  'descriptor of a child': () => {
    const child = spawn(process.execPath, ['-e', `console.error('${secret}')`], { stdio: 'inherit' })
    return once(child, 'close')
  },
  difference: () => expect({ token: secret }).toEqual({ token: 'another' }),
}

test('a way', async () => {
  noteSecret(secret)
  await ways[process.env['PLANTED']!]!()
})
