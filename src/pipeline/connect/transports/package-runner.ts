/**
 * package-runner: finds out whether a program that fetches a server before it starts it (`npx`, `uvx` and the like) is
 * still installing.
 *
 * A runner prints nothing while it installs without a terminal. But as long as only the runner, its helpers and the
 * scripts of packages run, the server has not started yet.
 */
import type { RunningProcess, SpawnRequest } from '../../../world/world.ts'

/** By name. A program that has other uses as well is a runner only with one of these words. */
const RUNNERS: Readonly<Record<string, readonly string[] | 'always'>> = {
  npx: 'always',
  pnpx: 'always',
  bunx: 'always',
  uvx: 'always',
  npm: ['exec', 'x'],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  bun: ['x'],
  uv: ['tool run'],
  pipx: ['run'],
}

export function isPackageRunner({ command, args }: Pick<SpawnRequest, 'command' | 'args'>): boolean {
  const name = nameOf(command)
  const words = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined
  if (words === undefined || words === 'always') return words === 'always'
  const given = args.filter((arg) => !arg.startsWith('-')).join(' ')
  return words.some((word) => given === word || given.startsWith(`${word} `))
}

/** `family`: the runner comes first, as it was started, whatever shim stands in its place. */
export function isInstalling([runner, ...others]: readonly RunningProcess[]): boolean {
  return runner !== undefined && runner.args.length > 0 && others.every(servesInstallation)
}

/** Processes of package managers themselves. npm calls itself `npm exec some-package`, in one word. */
const MANAGERS: ReadonlySet<string> = new Set(
  (
    'npm npx npm-cli npx-cli pnpm pnpx yarn yarnpkg corepack volta volta-shim ' +
    'uv uvx pipx pip git git-remote-https ssh'
  ).split(' '),
)

/** Scripts of a package that is being installed. npm's script `npx` is the server itself. */
const INSTALL_SCRIPTS: ReadonlySet<string> = new Set(
  ['install', 'prepare', 'dependencies'].flatMap((name) => [`pre${name}`, name, `post${name}`]),
)

function servesInstallation({ args, npmScript }: RunningProcess): boolean {
  const [program, script] = args
  // The runner has ended.
  if (program === undefined) return true
  if (npmScript !== undefined && INSTALL_SCRIPTS.has(npmScript)) return true
  const name = nameOf(program.split(' ')[0]!)
  if (name === 'bun' || name === 'bunx') return ['x', 'add', 'install'].includes(script ?? '')
  if (name === 'node' && script !== undefined) return MANAGERS.has(nameOf(script))
  return MANAGERS.has(name)
}

/** `C:\\Program Files\\nodejs\\npx.cmd` is `npx`. */
function nameOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1)!.toLowerCase()
  return name.replace(/\.(?:cmd|exe|bat|ps1|c?js|mjs)$/, '')
}
