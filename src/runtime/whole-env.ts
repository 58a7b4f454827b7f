/**
 * whole-env: an environment as somebody sees it who may look at any of it.
 */
import type { Env } from '../world/world.ts'

/** What a shell says of itself: another after each command, and nothing that a server could mean. */
const OF_THE_SHELL: ReadonlySet<string> = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD'])

/** Whether a variable can make a difference. */
export function countsInEnv(name: string): boolean {
  return !OF_THE_SHELL.has(name)
}

export function isSameEnv(one: Env, other: Env): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)].filter(countsInEnv))
  return [...names].every((name) => one[name] === other[name])
}
