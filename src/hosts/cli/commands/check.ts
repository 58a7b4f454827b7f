/**
 * check: `list --check`. Connects to all servers at once and reports each as soon as its state is known.
 */
import type { Board } from '../../../runtime/board.ts'
import type { ServerSnapshot } from '../../../runtime/supervisor.ts'
import { countOf, showDuration } from '../../shared/amounts.ts'
import { showConfinement, toFolderJson } from '../../shared/confinement.ts'
import { toEntryJson } from '../../shared/entry-json.ts'
import { sayInstalling } from '../../shared/installation-line.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { showName } from '../../shared/show-name.ts'
import type { CommandContext } from '../command.ts'
import { DONE, FAILED, SIGN_IN } from '../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../print.ts'
import { problemsOf, withBoard } from '../with-board.ts'

export async function run(context: CommandContext): Promise<number> {
  const { terminal, json } = context
  const isLive = !json && terminal.columns !== undefined
  // The last line says the same.
  const options = isLive ? { onInstallation: () => undefined } : {}
  return withBoard(context, { wait: 'none', ...options }, async (board) => {
    const live = json ? undefined : createLiveLines(context, board)
    await settle(board, live)
    if (json) printJson(terminal, toJson(board))
    else {
      live!.finish()
      printLines(terminal, [...summarise(board), ...showConfinement(board.snapshot().catalog, context.world)])
      reportBeside(context, problemsOf(board))
    }
    const states = new Set(board.snapshot().servers.map(({ connection }) => connection.state))
    states.delete('ready')
    if (states.size === 0) return DONE
    return states.size === 1 && states.has('needs-auth') ? SIGN_IN : FAILED
  })
}

/** Waits until each server has been ready or has failed once. */
function settle(board: Board, live: LiveLines | undefined): Promise<void> {
  const told = new Set<string>()
  return new Promise((resolve) => {
    const look = (): void => {
      const { servers } = board.snapshot()
      for (const server of servers) {
        if (server.connection.state === 'connecting' || told.has(server.name)) continue
        told.add(server.name)
        live?.tell(server)
      }
      live?.wait()
      if (told.size < servers.length) return
      stop()
      resolve()
    }
    const stop = board.on('change', look)
    look()
  })
}

interface LiveLines {
  tell(server: ServerSnapshot): void
  /** Names the servers that are still connecting, if the output is a terminal. */
  wait(): void
  finish(): void
}

/** One line for each server. On a terminal, the last line names those that are still connecting. */
function createLiveLines({ terminal, paint }: CommandContext, board: Board): LiveLines {
  const { columns } = terminal
  const width = Math.max(...board.snapshot().servers.map(({ name }) => showName(name).length), 0)
  const clear = columns === undefined ? '' : '\r\x1b[K'
  let shown = ''
  return {
    tell(server) {
      terminal.out(`${clear}${toLine(server, width, paint)}\n`)
      shown = ''
    },
    wait() {
      if (columns === undefined) return
      const words = sayWaiting(board.snapshot().servers).slice(0, columns - 1)
      if (words !== shown) terminal.out(`${clear}${paint.dim(words)}`)
      shown = words
    },
    finish: () => terminal.out(clear),
  }
}

function sayWaiting(servers: readonly ServerSnapshot[]): string {
  const pending = servers.filter(({ connection }) => connection.state === 'connecting')
  const installing = pending.filter(({ isInstalling }) => isInstalling === true).map(({ name }) => name)
  const others = pending.filter(({ isInstalling }) => isInstalling !== true)
  return [
    ...(others.length === 0 ? [] : [`waiting for ${others.map(({ name }) => showName(name)).join(', ')}`]),
    ...(installing.length === 0 ? [] : [sayInstalling(installing)]),
  ].join('; ')
}

function toLine(
  { name, connection, offering, stages }: ServerSnapshot,
  width: number,
  paint: CommandContext['paint'],
): string {
  const shown = showName(name).padEnd(width)
  const took = showDuration(stages.reduce((sum, { ms }) => sum + ms, 0))
  if (connection.state === 'ready') {
    return `${paint.green('ready     ')}  ${shown}  ${countOf(offering!.tools.length, 'tool')}, ${took}`
  }
  const state = connection.state === 'waiting' ? 'failed' : connection.state
  const brush = state === 'needs-auth' ? paint.yellow : paint.red
  return `${brush(state.padEnd(10))}  ${shown}  ${took}`
}

function summarise(board: Board): string[] {
  const { servers } = board.snapshot()
  if (servers.length === 0) return ['no server can run']
  const ready = servers.filter(({ connection }) => connection.state === 'ready').length
  return ['', `${ready} of ${countOf(servers.length, 'server')} ready`]
}

function toJson(board: Board): object {
  const { servers, catalog } = board.snapshot()
  const byName = new Map(servers.map((server) => [server.name, server]))
  return {
    servers: catalog.entries
      .filter(({ fate }) => fate.kind === 'chosen')
      .map((entry) => {
        const server = byName.get(entry.entry.found.name)
        return { ...toEntryJson(entry), ...(server === undefined ? {} : stateOf(server)) }
      }),
    folder: toFolderJson(catalog),
    problems: problemsOf(board).map(toProblemJson),
  }
}

function stateOf({ connection, offering, stages }: ServerSnapshot): object {
  return {
    state: connection.state === 'waiting' ? 'failed' : connection.state,
    tools: connection.state === 'ready' ? offering!.tools.length : 0,
    stages,
    ...('problem' in connection ? { problem: toProblemJson(connection.problem) } : {}),
  }
}
