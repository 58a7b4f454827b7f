/**
 * printed: all that was printed or written while a test ran, until it has been searched for secrets.
 *
 * in     pieces of text, with where they come from
 * out    what was found in them, without repeating it
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets, hasSecrets } from './secrets.ts'

const pieces = new Map<string, string[]>()

/** A secret that is cut in two by the end of a test is still found in the next. */
const KEPT_LENGTH = 4096

export function notePrinted(where: string, text: string): void {
  const known = pieces.get(where)
  if (known === undefined) pieces.set(where, [text])
  // A flood in a test without sign-ins.
  else if (known.length > MOST_PIECES && !hasSecrets()) known.splice(0, known.length, text)
  else known.push(text)
}

const MOST_PIECES = 1000

/** Whatever is in a folder, but for the store itself and for what the test put there. */
export function noteFiles(folder: string, isOfTest: (file: string) => boolean): void {
  // What is not known by now cannot have been written.
  if (!hasSecrets() || !existsSync(folder)) return
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile() || STORE.test(file) || isOfTest(file)) continue
    notePrinted(file.slice(folder.length + 1), read(file))
  }
}

/** Of one that is gone by now, or closed to its owner, nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** The one place where they may stand, and what somebody who died left of it, until the next one comes. */
const STORE = /\/sign-ins\/sign-ins\.json(?:\.[\w-]+\.draft)?$/

/** Throws if any secret of the tests is in what came since the last time. */
export function requireNoLeaks(): void {
  const leaks = [...pieces].flatMap(([where, texts]) => {
    const text = texts.join('')
    pieces.set(where, [text.slice(-KEPT_LENGTH)])
    const found = hasSecrets() ? findSecrets(text) : []
    // Where it was said may say it as well.
    const place = found.reduce((name, secret) => name.replaceAll(secret, '…'), where)
    return found.length === 0 ? [] : [`${found.length} in ${place}`]
  })
  if (leaks.length === 0) return
  pieces.clear()
  throw new Error(`secrets were printed: ${leaks.join('; ')}`)
}
