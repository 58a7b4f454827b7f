/**
 * pin-store: tools as they were when their user approved them, on disk.
 */
import { toCommandLine } from '../base/command-line.ts'
import { isObject } from '../base/is-object.ts'
import type { Pin } from '../model/permission.ts'
import { createProblem } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { StateFile } from './state-file.ts'

export function pinFile(world: World, dirs: { readonly state: string }): StateFile<readonly Pin[]> {
  return {
    file: world.paths.join(dirs.state, 'pins.json'),
    empty: [],
    parse: ({ pins }) => (Array.isArray(pins) && pins.every(isPin) ? pins : undefined),
    format: (pins) => ({
      pins: [...pins].sort((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1)),
    }),
    damaged: (file) =>
      createProblem({
        code: 'permit/pins-damaged',
        message: 'the record of the tools you approved cannot be read, so nobody knows whether they changed',
        where: { file },
        hints: [
          `move it away, and approve again: \`${toCommandLine('mv', [file, `${file}.broken`], 'linux')}\``,
        ],
      }),
    unwritable: (file, why) =>
      createProblem({
        code: 'permit/unwritable',
        message: 'what you approved could not be written down',
        where: { file },
        notes: [why],
        hints: ['make sure that the folder is one, and that you may write there'],
      }),
  }
}

/** In place of the one that there was for this tool. */
export function addPins(pins: readonly Pin[], added: readonly Pin[]): readonly Pin[] {
  if (added.length === 0) return pins
  return [...new Map([...pins, ...added].map((pin) => [keyOf(pin), pin])).values()]
}

function keyOf({ fingerprint, tool }: Pick<Pin, 'fingerprint' | 'tool'>): string {
  return `${fingerprint} ${tool}`
}

export function isSamePin(a: Pick<Pin, 'fingerprint' | 'tool'>, b: typeof a): boolean {
  return keyOf(a) === keyOf(b)
}

function sortKeyOf({ server, tool, fingerprint }: Pin): string {
  return JSON.stringify([server, tool, fingerprint])
}

function isPin(value: unknown): value is Pin {
  if (!isObject(value) || !isObject(value['definition'])) return false
  const { server, fingerprint, tool, hash, at } = value
  const { name, description, inputSchema, hints } = value['definition']
  const isWhole = [server, fingerprint, tool, hash, at, name].every((one) => typeof one === 'string')
  const isDescribed = description === undefined || typeof description === 'string'
  return isWhole && isDescribed && isObject(inputSchema) && isObject(hints)
}
