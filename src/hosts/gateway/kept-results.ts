/**
 * kept-results: results that were too long for their client, as resources of the gateway.
 *
 * in     the file of a saved result, and its holder
 * out    a URI under which only the holder can read it: whole, or in parts that fit
 * never  keeps texts in memory; remembers more than `MAX_RESULTS` of one holder
 */
import { takeStart } from '../../base/text-bytes.ts'
import type { Params, Result } from '../../model/message.ts'
import type { World } from '../../world/world.ts'

const BASE = 'plugboard://results/'

const MIME_TYPE = 'text/plain'

/** Limit for one holder: more than the files that are kept for it. One more drops the oldest of the same holder. */
export const MAX_RESULTS = 100

/** Limit for all holders together, because their number is unknown. */
const MAX_OF_ALL = 10_000

interface SavedResult {
  readonly file: string
  readonly bytes: number
  /** The maximum size of one part. */
  readonly partBytes: number
  readonly holder: string
}

export interface KeptResult {
  readonly uri: string
  readonly parts: number
  /** The link as it appears in a result. */
  readonly link: Params
}

export class KeptResults {
  readonly #world: Pick<World, 'files' | 'keys'>
  /** By id, the oldest first. */
  readonly #results = new Map<string, SavedResult>()

  constructor(world: Pick<World, 'files' | 'keys'>) {
    this.#world = world
  }

  keep(text: string, result: SavedResult): KeptResult {
    const id = this.#world.keys.random(18)
    this.#results.set(id, result)
    const theirs = [...this.#results].filter(([, { holder }]) => holder === result.holder)
    if (theirs.length > MAX_RESULTS) this.#results.delete(theirs[0]![0])
    if (this.#results.size > MAX_OF_ALL) this.#results.delete(this.#results.keys().next().value!)
    const uri = BASE + id
    const { bytes, partBytes } = result
    const link = {
      type: 'resource_link',
      uri,
      name: 'result',
      title: 'The whole result',
      mimeType: MIME_TYPE,
      size: bytes,
    }
    return { uri, link, parts: [...partsOf(text, partBytes)].length }
  }

  /** Undefined: the result is unknown here, or belongs to another holder. */
  read(uri: string, holder: string): Result | undefined {
    const [, id = '', part] = /^plugboard:\/\/results\/([\w-]+)(?:\?part=([1-9]\d{0,8}))?$/.exec(uri) ?? []
    const result = this.#results.get(id)
    if (result === undefined || result.holder !== holder) return undefined
    const read = this.#world.files.read(result.file)
    if (read.kind !== 'text') return undefined
    const text = part === undefined ? read.text : [...partsOf(read.text, result.partBytes)][Number(part) - 1]
    return text === undefined ? undefined : { contents: [{ uri, mimeType: MIME_TYPE, text }] }
  }
}

/** Each part is as long as fits. No part cuts a character in two, so a part may end below the maximum. */
function* partsOf(text: string, bytes: number): Generator<string> {
  for (let at = 0; at < text.length;) {
    // A UTF-16 unit takes at least one byte.
    const part = takeStart(text.slice(at, at + bytes), bytes)
    yield part
    at += part.length
  }
}

/** A gateway behind this one uses such URIs too, so an unknown one goes on to the servers. */
export function isResultUri(uri: unknown): boolean {
  return typeof uri === 'string' && uri.startsWith(BASE)
}
