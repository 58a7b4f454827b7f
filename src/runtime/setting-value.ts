/**
 * setting-value: looks up a secret that settings name.
 *
 * in     a value of the user's own settings: `!command`, the name of a variable, text with `${VAR}` in it
 * out    the value it stands for; undefined when there is none
 */
import { Secret } from '../base/secret.ts'
import { fillTemplate, type Template } from '../model/template.ts'
import type { World } from '../world/world.ts'

const COMMAND_LIMIT_MS = 10_000

export async function resolveSetting(world: World, value: Template): Promise<Secret | undefined> {
  const filled = fillTemplate(value, world.env)
  if (filled === undefined || filled === '') return undefined
  // The `!` must stand in the file itself: a variable whose value begins with one is no command.
  const [first] = value
  if (typeof first === 'string' && first.startsWith('!')) return runCommand(world, filled.slice(1))
  const named = Object.hasOwn(world.env, filled) ? world.env[filled] : undefined
  return new Secret(named ?? filled)
}

async function runCommand(world: World, command: string): Promise<Secret | undefined> {
  const { stdout, exitCode } = await world.shell.run(command, {
    cwd: world.home,
    timeoutMs: COMMAND_LIMIT_MS,
    env: world.env,
  })
  const text = stdout.trim()
  return exitCode === 0 && text !== '' ? new Secret(text) : undefined
}
