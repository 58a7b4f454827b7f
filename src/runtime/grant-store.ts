/**
 * grant-store: the user's permanent grants, on disk.
 */
import { toCommandLine } from '../base/command-line.ts'
import { isObject } from '../base/is-object.ts'
import type { Grant } from '../model/permission.ts'
import { createProblem } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { StateFile } from './state-file.ts'

export interface StoredGrants {
  readonly grants: readonly Grant[]
  /** Agents whose grants were taken over once. They do not come back after a reset. */
  readonly takenFrom: readonly string[]
}

export function grantFile(world: World, dirs: { readonly state: string }): StateFile<StoredGrants> {
  return {
    file: world.paths.join(dirs.state, 'permissions.json'),
    empty: { grants: [], takenFrom: [] },
    parse({ grants, takenFrom }) {
      if (!Array.isArray(grants) || !Array.isArray(takenFrom)) return undefined
      if (!grants.every(isStored) || !takenFrom.every((one) => typeof one === 'string')) return undefined
      return { grants: grants.map((grant) => ({ ...grant, until: 'always' as const })), takenFrom }
    },
    format: ({ grants, takenFrom }) => ({
      grants: grants
        .map(({ server, tool, fingerprint }) => ({ server, tool, fingerprint }))
        .sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1)),
      takenFrom: [...takenFrom].sort(),
    }),
    damaged: (file) =>
      createProblem({
        code: 'permit/grants-damaged',
        message: 'the record of what you always allow cannot be read, so it is asked again',
        where: { file },
        hints: [`move it away: \`${toCommandLine('mv', [file, `${file}.broken`], 'linux')}\``],
      }),
    unwritable: (file, why) =>
      createProblem({
        code: 'permit/unwritable',
        message: 'your permission could not be written down',
        where: { file },
        notes: [why],
        hints: ['make sure that the folder is one, and that you may write there'],
      }),
  }
}

export function addGrant(stored: StoredGrants, grant: Grant): StoredGrants {
  const others = stored.grants.filter((one) => !isSameGrant(one, grant))
  return { ...stored, grants: [...others, grant] }
}

export function isSameGrant(a: Pick<Grant, 'fingerprint' | 'tool'>, b: typeof a): boolean {
  return a.fingerprint === b.fingerprint && a.tool === b.tool
}

function sortKeyOf({ server, tool, fingerprint }: Pick<Grant, 'server' | 'tool' | 'fingerprint'>): string {
  return JSON.stringify([server, tool, fingerprint])
}

function isStored(value: unknown): value is Omit<Grant, 'until'> {
  if (!isObject(value)) return false
  return [value['server'], value['tool'], value['fingerprint']].every((one) => typeof one === 'string')
}
