/**
 * folder-question: what the user sees before trusting the folder of a project.
 */
import { toPrintable } from '../../base/printable.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import type { Paint } from './paint.ts'
import { showFolder, showPath, type Here } from './show-path.ts'

export const FOLDER_TITLE = 'Do you trust this folder?'

const WHY = [
  'Programs such as npx and python obey settings of the folder they start in, and run code from it.',
  'If you trust this folder, your own servers start in it. Otherwise each starts in an empty folder.',
]

export function showFolderQuestion(
  { catalog }: Pick<LoadedCatalog, 'catalog'>,
  { here, paint }: { readonly here: Here; readonly paint: Paint },
): readonly string[] {
  const { folder, servers } = catalog
  const names = (start: Start): string =>
    servers
      .filter(({ confinement }) => confinement?.start === start)
      .map((server) => nameOf(server))
      .join(', ')
  const rows: readonly (readonly [string, string])[] = [
    ['folder', showFolder(folder.path, here)],
    ['now in an empty folder', names('empty-folder')],
    ['now not started', names('refused')],
    ['note', folder.foreign === undefined ? '' : `${showPath(folder.foreign, here)} belongs to another user`],
  ]
  const shown = rows.filter(([, text]) => text !== '')
  const width = Math.max(...shown.map(([label]) => label.length))
  return [...WHY, '', ...shown.map(([label, text]) => `  ${paint.cyan(label.padEnd(width))}  ${text}`)]
}

type Start = NonNullable<AdmittedServer['confinement']>['start']

/** With the field that keeps the server from starting: `fs (args[1])`. */
function nameOf({ name, confinement }: AdmittedServer): string {
  return toPrintable(confinement?.start === 'refused' ? `${name} (${confinement.field})` : name)
}
