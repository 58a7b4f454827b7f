/**
 * What is looked at of the user's environment; what comes of it is in stdio.test.ts.
 */
import { expect, test } from 'vitest'
import { minimalEnv, wholeEnv } from '../../../src/pipeline/resolve/child-env.ts'
import type { Env } from '../../../src/world/world.ts'

/** Says which of its values were read. */
function observed(env: Env): { readonly env: Env; readonly read: readonly string[] } {
  const read: string[] = []
  const get = (target: Env, name: string): string | undefined => {
    read.push(name)
    return target[name]
  }
  return { env: new Proxy(env, { get }), read }
}

const ADA: Env = { PATH: '/bin', TOKEN: 'secret', LC_ALL: 'C', GONE: undefined, LC_TIME: '() { :; }' }

test('a value that is not passed on is not read', () => {
  const { env, read } = observed(ADA)
  expect(minimalEnv(env, 'linux')).toEqual([
    ['PATH', '/bin'],
    ['LC_ALL', 'C'],
  ])
  expect(read).toEqual(['PATH', 'LC_ALL', 'LC_TIME'])
})

test('the whole of it has every value that there is, in its order', () => {
  expect(wholeEnv(ADA)).toEqual([
    ['PATH', '/bin'],
    ['TOKEN', 'secret'],
    ['LC_ALL', 'C'],
    ['LC_TIME', '() { :; }'],
  ])
})
