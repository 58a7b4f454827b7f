/**
 * crush: JSON for the user and for the project. Newer versions prefer `crushrc`, a shell script. Plugboard shows the
 * script to the user and never runs it.
 */
import type { Scope } from '../../../model/origin.ts'
import type { Problem } from '../../../model/problem.ts'
import { createWarning } from '../../../problem/problem.ts'
import { absoluteOr } from '../project.ts'
import type { Ground, Site } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'
import { inConfigHome, inLocalAppData } from '../user-folders.ts'

export const crush: Source = {
  id: 'crush',
  look: (site) => {
    const { paths } = site.world
    const dirs = userDirs(site)
    reportScripts(
      site,
      'user',
      dirs.map((dir) => paths.join(dir, 'crushrc')),
    )
    reportScripts(site, 'project', inEachDir(site, ['.crushrc', 'crushrc']))
    const place = (scope: Scope, file: string) => () =>
      site.servers({ scope, file, under: ['mcp'], dialect: 'crush' })
    return lookInOrder([
      ...dirs.map((dir) => place('user', paths.join(dir, 'crush.json'))),
      ...inEachDir(site, ['.crush.json', 'crush.json']).map((file) => place('project', file)),
    ])
  },
  // Plugboard does not write to the script either: Crush still reads this file beside it.
  homes: (ground) => [
    {
      scope: 'user',
      files: userDirs(ground).map((dir) => ground.world.paths.join(dir, 'crush.json')),
      under: ['mcp'],
    },
    { scope: 'project', files: inEachDir(ground, ['.crush.json', 'crush.json']), under: ['mcp'] },
  ],
}

/** `$CRUSH_GLOBAL_CONFIG` names a folder that replaces all others. */
function userDirs(site: Ground): readonly string[] {
  const { env, platform } = site.world
  const moved = absoluteOr(site.world, env['CRUSH_GLOBAL_CONFIG'])
  if (moved !== undefined) return [moved]
  return [...(platform === 'win32' ? [inLocalAppData(site, 'crush')] : []), inConfigHome(site, 'crush')]
}

function inEachDir(site: Ground, names: readonly string[]): readonly string[] {
  return site.project.dirsNearestFirst.flatMap((dir) => names.map((name) => site.world.paths.join(dir, name)))
}

function reportScripts(site: Site, scope: Scope, files: readonly string[]): void {
  for (const file of files) if (site.visit({ scope, file })) site.report(script(file, scope))
}

function script(file: string, scope: Scope): Problem {
  return createWarning({
    code: 'discover/crushrc',
    message: "this is a shell script, and Plugboard never runs another agent's scripts",
    where: { file, source: 'crush', scope },
    notes: ['the servers it adds are not known here'],
    hints: ['to use one of them here, declare it in `crush.json`, under `mcp`'],
  })
}
