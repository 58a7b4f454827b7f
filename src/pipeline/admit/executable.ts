/**
 * executable: where a command leads on this machine. Looks, never runs.
 */
import { argvOf } from '../../model/signature.ts'
import type { StdioTransport } from '../../model/definition.ts'
import { expandForComparison } from '../../model/template.ts'
import type { World } from '../../world/world.ts'

/** Undefined when there is no such program. */
export function findExecutable(world: World, transport: StdioTransport, baseDir: string): string | undefined {
  const { paths, env } = world
  const command = argvOf(transport, env)[0]!
  if (/[/\\]/.test(command)) {
    const cwd =
      transport.cwd === undefined ? baseDir : paths.resolve(baseDir, expandForComparison(transport.cwd, env))
    return firstExecutable(world, paths.resolve(cwd, expandHome(world, command)))
  }
  const dirs = (env['PATH'] ?? env['Path'] ?? '').split(paths.delimiter).filter((dir) => dir !== '')
  for (const dir of dirs) {
    const found = firstExecutable(world, paths.resolve(world.cwd, dir, command))
    if (found !== undefined) return found
  }
  return undefined
}

function expandHome(world: World, path: string): string {
  return path.replace(/^~(?=[/\\])/, () => world.home)
}

/** On Windows as it will be started (world/node/windows-command.ts): beside `npx.cmd` stands an `npx` for other shells. */
function firstExecutable({ platform, env, files }: World, path: string): string | undefined {
  const known = platform === 'win32' ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';') : []
  const isWhole = known.some((ending) => ending !== '' && path.toLowerCase().endsWith(ending.toLowerCase()))
  const endings = isWhole ? ['', ...known] : [...known, '']
  return endings.map((ending) => path + ending).find((candidate) => files.isExecutable(candidate))
}
