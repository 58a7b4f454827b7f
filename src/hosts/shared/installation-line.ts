/**
 * installation-line: says on stderr that a package runner installs a server, which can take minutes. On a terminal the
 * line disappears afterwards. Elsewhere it appears once for each server.
 */
import type { Terminal } from '../../world/world.ts'
import { showName } from './show-name.ts'
import { cutEnd } from './width.ts'

export interface InstallationLine {
  tell(server: string, state: 'begun' | 'over'): void
  clear(): void
}

const CLEAR = '\r\u001b[K'

export function showInstallations({ columnsBeside, err }: Terminal): InstallationLine {
  const installing = new Set<string>()
  const said = new Set<string>()
  let isShown = false
  const clear = (): void => {
    if (isShown) err(CLEAR)
    isShown = false
  }
  const show = (columns: number): void => {
    clear()
    if (installing.size === 0) return
    err(cutEnd(sayInstalling([...installing]), columns - 1))
    isShown = true
  }
  return {
    clear,
    tell(server, state) {
      if (state === 'begun') installing.add(server)
      else installing.delete(server)
      if (columnsBeside !== undefined) return show(columnsBeside)
      if (state === 'over' || said.has(server)) return
      said.add(server)
      err(`${sayInstalling([server])}\n`)
    },
  }
}

/** `installing files, memory: …` */
export function sayInstalling(names: readonly string[]): string {
  return `installing ${names.map((name) => showName(name)).join(', ')}: this may take minutes the first time`
}
