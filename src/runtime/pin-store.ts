/** pin-store: tools as they were when their user approved them, on disk. */
import { toCommandLine } from '../base/command-line.ts'
import { isObject } from '../base/is-object.ts'
import type { Pin } from '../model/permission.ts'
import { fromOlderPin, type OlderDefinition } from '../pipeline/permit/pins.ts'
import { createProblem } from '../problem/problem.ts'
import type { World } from '../world/world.ts'
import type { StateFile } from './state-file.ts'

export function pinFile(world: World, dirs: { readonly state: string }): StateFile<readonly Pin[]> {
  return {
    file: world.paths.join(dirs.state, 'pins.json'),
    empty: [],
    parse({ pins }) {
      const parsed = Array.isArray(pins) ? pins.map(parsePin) : [undefined]
      return parsed.every((pin) => pin !== undefined) ? parsed : undefined
    },
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

/** Replaces the pin of the same tool. */
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

function parsePin(value: unknown): Pin | undefined {
  if (isPin(value)) return value
  // Pins of the first version hold fewer fields, and have no `isWhole`.
  if (!isObject(value) || 'isWhole' in value || !isOlderDefinition(value['definition'])) return undefined
  const pin = { ...value, definition: fromOlderPin(value['definition']), isWhole: false }
  return isPin(pin) ? pin : undefined
}

function isPin(value: unknown): value is Pin {
  if (!isObject(value) || !isObject(value['definition'])) return false
  const { server, fingerprint, tool, hash, at, isWhole } = value
  const { name, inputSchema } = value['definition']
  const texts = [server, fingerprint, tool, hash, at, name]
  return (
    texts.every((one) => typeof one === 'string') && isObject(inputSchema) && typeof isWhole === 'boolean'
  )
}

function isOlderDefinition(value: unknown): value is OlderDefinition {
  if (!isObject(value)) return false
  const { name, description, inputSchema, hints } = value
  const isDescribed = description === undefined || typeof description === 'string'
  return typeof name === 'string' && isDescribed && isObject(inputSchema) && isObject(hints)
}
