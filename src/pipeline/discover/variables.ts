/**
 * variables: names for places in the files of editors, such as `${workspaceFolder}`.
 */
import type { Site } from './site.ts'

export function editorVariables({ world, project }: Site): Readonly<Record<string, string>> {
  return {
    workspaceFolder: project.root,
    workspaceFolderBasename: world.paths.basename(project.root),
    workspaceRoot: project.root,
    userHome: world.home,
    pathSeparator: world.paths.sep,
    '/': world.paths.sep,
    cwd: world.cwd,
  }
}
