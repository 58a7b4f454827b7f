/** whole-env: the environment, for code that may look at any variable of it. */
import type { Env } from '../world/world.ts'

/** The shell sets these for itself. They change with each command, and no server depends on them. */
const OF_THE_SHELL: ReadonlySet<string> = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD'])

/** Whether a variable can make a difference. */
export function countsInEnv(name: string): boolean {
  return !OF_THE_SHELL.has(name)
}

export function isSameEnv(one: Env, other: Env): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)].filter(countsInEnv))
  return [...names].every((name) => one[name] === other[name])
}
