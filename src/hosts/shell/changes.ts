/**
 * changes: what happened to the servers while a session goes on → one line.
 *
 * in     what a board tells: late connections, lists that changed, servers that stopped and came back, files read again
 * out    a line for all that happened at about the same time; nothing where a person would see no difference
 */
import { toPrintable } from '../../base/printable.ts'
import { toStableJson } from '../../base/stable-json.ts'
import type { ConnectionState } from '../../model/connection.ts'
import type { Board } from '../../runtime/board.ts'
import type { ReloadSummary } from '../../runtime/reload.ts'
import type { Clock } from '../../world/world.ts'
import { countOf } from '../shared/amounts.ts'

/** What came of a reload; undefined when everything stayed as it was. */
export function sayReload({ added, removed, changed, reconnected }: ReloadSummary): string | undefined {
  const parts = Object.entries({ added, removed, changed, reconnected })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${listNames(names)}`)
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** Things that happen within this time are one thing to somebody who watches. */
const GATHER_MS = 150

/** Tells from now on; the answer ends it. */
export function watchChanges(
  board: Pick<Board, 'on' | 'snapshot' | 'tools'>,
  clock: Clock,
  tell: (line: string) => void,
): () => void {
  let before = standingsOf(board)
  /** Servers that were ready, and were not for a moment. */
  const down = new Set<string>()
  let cancel: (() => void) | undefined
  const flush = (): void => {
    cancel = undefined
    const now = standingsOf(board)
    const lines = describe(before, now, down)
    before = now
    for (const [name, { state }] of now) if (state === 'ready') down.delete(name)
    if (lines.length > 0) tell(lines.join('; '))
  }
  const stopChanges = board.on('change', ({ servers }) => {
    const now = new Map(board.snapshot().servers.map(({ name, connection }) => [name, connection.state]))
    for (const name of servers) {
      const state = now.get(name)
      // One that comes back after it was taken out is a new one.
      if (state === undefined) before.delete(name)
      else if (state !== 'ready' && before.get(name)?.state === 'ready') down.add(name)
    }
    cancel ??= clock.after(GATHER_MS, flush, 'loose')
  })
  const stopReloads = board.on('reload', ({ summary }) => {
    const line = sayReload(summary)
    if (line !== undefined) tell(line)
  })
  return () => {
    stopChanges()
    stopReloads()
    cancel?.()
  }
}

interface Standing {
  readonly state: ConnectionState
  readonly problem?: string
  /** What each tool is, by its name. */
  readonly tools: ReadonlyMap<string, string>
}

type Standings = Map<string, Standing>

function standingsOf(board: Pick<Board, 'snapshot' | 'tools'>): Standings {
  const tools = board.tools()
  return new Map(
    board.snapshot().servers.map(({ name, connection }) => {
      const own = tools.filter(({ server }) => server === name)
      return [
        name,
        {
          state: connection.state,
          ...('problem' in connection ? { problem: connection.problem.message } : {}),
          tools: new Map(
            own.map(({ tool, description, inputSchema }) => [
              tool,
              toStableJson({ description, inputSchema }),
            ]),
          ),
        },
      ]
    }),
  )
}

function describe(
  before: ReadonlyMap<string, Standing>,
  now: ReadonlyMap<string, Standing>,
  down: ReadonlySet<string>,
): readonly string[] {
  return [...now].flatMap(([name, is]) => {
    const was = before.get(name)
    const called = `\`${toPrintable(name)}\``
    if (is.state === 'ready') {
      const count = countOf(is.tools.size, 'tool')
      if (down.has(name) || (was !== undefined && DOWN.has(was.state)))
        return [`${called} reconnected, ${count}`]
      if (was?.state !== 'ready') return [`${called} is ready, ${count}`]
      const difference = describeTools(was.tools, is.tools)
      return difference === undefined ? [] : [`${called}: ${difference}`]
    }
    if (was?.state === is.state && was.problem === is.problem) return []
    return describeDown(called, is)
  })
}

const DOWN: ReadonlySet<ConnectionState> = new Set(['waiting', 'failed', 'needs-auth', 'closed'])

function describeDown(called: string, { state, problem = '' }: Standing): readonly string[] {
  switch (state) {
    case 'needs-auth':
      return [`${called} needs a sign-in: /mcp auth ${called.slice(1, -1)}`]
    case 'waiting':
      return [`${called} is gone and will be tried again: ${toPrintable(problem)}`]
    case 'failed':
      return [`${called} failed: ${toPrintable(problem)}`]
    case 'closed':
      return [`${called} was disconnected`]
    // On the way to something else, or nobody has asked for it.
    case 'connecting':
    case 'idle':
    case 'ready':
      return []
  }
}

function describeTools(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string | undefined {
  const parts = Object.entries({
    added: [...now.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter((name) => before.has(name) && before.get(name) !== now.get(name)),
  })
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${countOf(names.length, 'tool')} ${what} (${listNames(names)})`)
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** More than these are a number. */
const SHOWN_NAMES = 4

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_NAMES).map((name) => `\`${toPrintable(name)}\``)
  const rest = names.length - shown.length
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
