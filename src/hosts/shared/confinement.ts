/**
 * confinement: shows which servers a folder without trust affects, in a line or two.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Catalog, Confinement } from '../../model/catalog.ts'
import { countOf } from './amounts.ts'
import { showFolder, type Here } from './show-path.ts'

export function toFolderJson({ folder }: Pick<Catalog, 'folder'>): object {
  return { path: folder.path, trust: folder.decision }
}

/** Empty where a server starts as everywhere else. */
export function toConfinementJson(confinement: Confinement): object {
  if (confinement.start === 'elsewhere') return {}
  const { names: _, ...confined } = confinement
  return { confinement: confined }
}

export function showConfinement(
  { folder, servers }: Pick<Catalog, 'folder' | 'servers'>,
  here: Here,
  command = 'plugboard trust folder',
): string[] {
  const apart = servers.filter(({ confinement }) => confinement?.start === 'empty-folder').length
  const refused = servers.filter(({ confinement }) => confinement?.start === 'refused')
  if (apart + refused.length === 0) return []
  const names = refused.map(({ name }) => `\`${toPrintable(name)}\``).join(', ')
  return [
    `${showFolder(folder.path, here)} is not trusted: ${[
      ...(apart === 0
        ? []
        : [`${countOf(apart, 'server')} start${apart === 1 ? 's' : ''} in an empty folder`]),
      ...(refused.length === 0 ? [] : [`${names} ${refused.length === 1 ? 'does' : 'do'} not start`]),
    ].join(', ')}`,
    ...(folder.decision === 'declined'
      ? []
      : [
          `hint: to see what trusting the folder means, ${command.startsWith('/') ? 'type' : 'run'} \`${command}\``,
        ]),
  ]
}
