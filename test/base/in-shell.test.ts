import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { inShell } from '../../src/base/in-shell.ts'

it.each(['github', 'a.b-c_d', 'with space', "o'neill", '$HOME;`id`', '"', 'ü'])(
  'a shell reads %s as one word',
  (name) => {
    const read = execFileSync('/bin/sh', ['-c', `printf %s ${inShell(name)}`], { encoding: 'utf8' })
    expect(read).toBe(name)
  },
)

it('plain names stay as they are', () => {
  expect(['github', 'a.b-c_d'].map(inShell)).toEqual(['github', 'a.b-c_d'])
})
