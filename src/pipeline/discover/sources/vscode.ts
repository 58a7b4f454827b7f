/**
 * vscode: `mcp.json` of the user, of each profile and of the project. Also the older places of servers, which VS Code
 * itself no longer reads.
 */
import { findAt } from '../../../model/document.ts'
import type { FoundEntry } from '../../../model/entry.ts'
import type { Origin } from '../../../model/origin.ts'
import type { Problem } from '../../../model/problem.ts'
import { createWarning, whereOrigin } from '../../../problem/problem.ts'
import type { Ground, Site } from '../site.ts'
import { lookInOrder, type Source } from '../source.ts'
import { vscodeUserFolders } from '../user-folders.ts'
import { editorVariables } from '../variables.ts'

export const vscode: Source = {
  id: 'vscode',
  look: (site) => {
    const common = { dialect: 'vscode', under: ['servers'], variables: editorVariables(site) } as const
    return lookInOrder([
      ...userFiles(site).map((file) => () => site.servers({ ...common, scope: 'user', file })),
      ...site
        .inProject('.vscode/mcp.json')
        .map((file) => () => site.servers({ ...common, scope: 'project', file })),
      ...oldPlaces(site).map((place) => () => misplaced(site, place)),
    ])
  },
  homes: (ground) => [
    { scope: 'user', files: ownFiles(ground), under: ['servers'] },
    { scope: 'project', files: ground.inProject('.vscode/mcp.json'), under: ['servers'] },
  ],
}

/** The file of the default profile. If there is none yet, that of the installed edition. */
function ownFiles(ground: Ground): readonly string[] {
  const { files, paths } = ground.world
  const folders = vscodeUserFolders(ground)
  const installed = folders.find((folder) => files.kind(folder) !== 'missing') ?? folders[0]!
  return [...folders, installed].map((folder) => paths.join(folder, 'mcp.json'))
}

/** The default profile first: no file says which other profile is open. */
function userFiles(site: Site): readonly string[] {
  const { files, paths } = site.world
  return vscodeUserFolders(site).flatMap((folder) => {
    const profiles = paths.join(folder, 'profiles')
    return [folder, ...files.list(profiles).map((id) => paths.join(profiles, id))].map((dir) =>
      paths.join(dir, 'mcp.json'),
    )
  })
}

interface OldLocation {
  readonly scope: 'user' | 'project'
  readonly file: string
  readonly under: readonly string[]
  readonly advice: (origin: Origin, server: string) => Problem
}

function oldPlaces(site: Site): readonly OldLocation[] {
  const inSettings = { under: ['mcp', 'servers'], advice: standsInSettings }
  const inContainer = { under: ['customizations', 'vscode', 'mcp', 'servers'], advice: isForContainer }
  const inProject = (path: string) =>
    site.inProject(path).map((file) => ({ scope: 'project' as const, file }))
  return [
    ...vscodeUserFolders(site).map((folder) => ({
      scope: 'user' as const,
      file: site.world.paths.join(folder, 'settings.json'),
      ...inSettings,
    })),
    ...inProject('.vscode/settings.json').map((place) => ({ ...place, ...inSettings })),
    ...inProject('.devcontainer/devcontainer.json').map((place) => ({ ...place, ...inContainer })),
    ...inProject('.devcontainer.json').map((place) => ({ ...place, ...inContainer })),
  ]
}

async function misplaced(site: Site, place: OldLocation): Promise<readonly FoundEntry[]> {
  const { scope, file, under, advice } = place
  const document = await site.read({ scope, file })
  if (document === undefined || findAt(document.root, under) === undefined) return []
  return site.servers({ scope, file, under, document, dialect: 'vscode', unsupported: advice })
}

function standsInSettings(origin: Origin, server: string): Problem {
  return createWarning({
    code: 'discover/vscode-settings',
    message: `\`${server}\` stands in VS Code's settings, where servers are no longer read`,
    where: whereOrigin(origin, server),
    hints: ['move it to `servers` in `mcp.json`, in the same folder'],
  })
}

function isForContainer(origin: Origin, server: string): Problem {
  return createWarning({
    code: 'discover/dev-container',
    message: `\`${server}\` is meant to run inside the dev container, where Plugboard starts nothing`,
    where: whereOrigin(origin, server),
    hints: ['to use it here as well, declare it under `servers` in `.vscode/mcp.json`'],
  })
}
