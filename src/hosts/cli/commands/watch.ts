/**
 * watch: prints a line for each change in the configuration, until the user ends it. Starts no server.
 */
import { toPrintable } from '../../../base/printable.ts'
import { unreachable } from '../../../base/unreachable.ts'
import type { CatalogEntry } from '../../../model/catalog.ts'
import { compareCatalogs, type CatalogChange } from '../../../runtime/catalog-changes.ts'
import { CatalogLoader, type Reloaded } from '../../../runtime/catalog-loader.ts'
import { grantFile } from '../../../runtime/grant-store.ts'
import type { LoadedCatalog } from '../../../runtime/load-catalog.ts'
import { pinFile } from '../../../runtime/pin-store.ts'
import type { Clock, World } from '../../../world/world.ts'
import { countOf } from '../../shared/amounts.ts'
import { toEntryJson } from '../../shared/entry-json.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { fateBrush } from '../../shared/show-fate.ts'
import { showName } from '../../shared/show-name.ts'
import { showPath, showSpot, toShownFile } from '../../shared/show-path.ts'
import type { CommandContext } from '../command.ts'
import { INTERRUPTED } from '../exit-codes.ts'
import { loadAgain } from '../load-again.ts'
import { printJsonLines, printLines, reportProblems } from '../print.ts'

export async function run(context: CommandContext): Promise<number> {
  const { world } = context
  const loader = new CatalogLoader(world, loadAgain(context), {
    isWatched: true,
    also: ({ dirs }) => decisionFiles(world, dirs),
  })
  let last = await loader.load((loaded) => loaded)
  await loader.watch((reloaded) => {
    print(context, changesOf(world, last, reloaded))
    last = reloaded.loaded
  })
  begin(context, last)
  await interrupted(context)
  loader.close()
  return INTERRUPTED
}

/** The files with the user's "always allow" answers and the approved tools. */
function decisionFiles(world: World, dirs: LoadedCatalog['dirs']): readonly string[] {
  return [grantFile(world, dirs).file, pinFile(world, dirs).file]
}

function changesOf(world: World, last: LoadedCatalog, { loaded, files }: Reloaded): readonly CatalogChange[] {
  const changes = compareCatalogs(last, loaded)
  const hasDecided = decisionFiles(world, loaded.dirs).some((file) => files.includes(file))
  const isSaid = changes.some(({ kind }) => kind === 'permissions')
  return hasDecided && !isSaid ? [...changes, { kind: 'permissions' }] : changes
}

/** Printed after the watch has started, so that the reader misses no later change. */
function begin(context: CommandContext, { catalog }: LoadedCatalog): void {
  const { terminal, world } = context
  const places = new Set(catalog.places.map(({ file }) => file)).size
  const servers = catalog.servers.length
  if (context.json) {
    const at = new Date(world.clock.now()).toISOString()
    printJsonLines(terminal, [{ at, change: 'watching', places, servers }])
    return
  }
  reportProblems(terminal, catalog.problems, world)
  terminal.err(`watching ${countOf(places, 'place')}, ${countOf(servers, 'server')} (Ctrl-C ends it)\n`)
}

/** A timer with a longer delay than the maximum fires at once. */
const DAY_MS = 86_400_000

/** File watching keeps no process open; this timer does. */
function interrupted({ terminal, world: { clock } }: CommandContext): Promise<void> {
  return new Promise((resolve) => {
    const letGo = stay(clock)
    terminal.onInterrupt(() => {
      letGo()
      resolve()
    })
  })
}

function stay(clock: Clock): () => void {
  let stop = clock.after(DAY_MS, function again() {
    stop = clock.after(DAY_MS, again)
  })
  return () => stop()
}

function print(context: CommandContext, changes: readonly CatalogChange[]): void {
  const { terminal, world } = context
  if (!context.json) {
    printLines(
      terminal,
      changes.map((change) => toLine(context, change)),
    )
    return
  }
  const at = new Date(world.clock.now()).toISOString()
  printJsonLines(
    terminal,
    changes.map((change) => ({ at, ...toJson(change) })),
  )
}

function toLine(context: CommandContext, change: CatalogChange): string {
  const { world, paint } = context
  switch (change.kind) {
    case 'added':
    case 'changed':
      return `${change.kind} ${showEntry(context, change.entry)}`
    case 'removed':
      return `removed ${showWhere(context, change.entry)}`
    case 'fate':
      return `${change.was.kind} before, now ${showEntry(context, change.entry)}`
    case 'fresh':
      return `read again ${showPath(change.where.file, world)}`
    case 'problem': {
      const { message, where, severity, notes } = change.problem
      const place = where === undefined ? '' : ` (${showSpot(where, world)})`
      const note = notes.length === 0 ? '' : `; ${notes[0]}`
      const word = severity === 'error' ? paint.red('error:') : paint.yellow(`${severity}:`)
      return `${word} ${toPrintable(message)}${place}${toPrintable(note)}`
    }
    case 'permissions':
      return 'changed permissions'
    default:
      return unreachable(change)
  }
}

/** `github: chosen (~/.claude.json:14:7)`. */
function showEntry(context: CommandContext, entry: CatalogEntry): string {
  const { kind } = entry.fate
  const { found } = entry.entry
  const fate = fateBrush(kind, context.paint)(kind)
  return `${context.paint.bold(showName(found.name))}: ${fate} (${showSpot(found.origin, context.world)})`
}

function showWhere({ world, paint }: CommandContext, { entry: { found } }: CatalogEntry): string {
  return `${paint.bold(showName(found.name))} (${showPath(found.origin.file, world)})`
}

function toJson(change: CatalogChange): object {
  switch (change.kind) {
    case 'added':
    case 'changed':
    case 'removed':
      return { change: change.kind, entry: toEntryJson(change.entry) }
    case 'fate':
      return { change: 'fate', was: change.was.kind, entry: toEntryJson(change.entry) }
    case 'fresh':
      return { change: 'fresh', file: toShownFile(change.where.file) }
    case 'problem':
      return { change: 'problem', problem: toProblemJson(change.problem) }
    case 'permissions':
      return { change: 'permissions' }
    default:
      return unreachable(change)
  }
}
