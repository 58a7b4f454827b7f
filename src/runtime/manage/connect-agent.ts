/**
 * connect-agent: writes the gateway into the file of another agent, and restores that file later.
 *
 * in     an agent, and the scope of its file
 * out    the change, to be shown or made; the text before it, kept in our state for this user alone
 * never  overwrites an entry of the same name; removes more than it added
 */
import { isObject } from '../../base/is-object.ts'
import { sha256 } from '../../base/sha256.ts'
import { valueAt } from '../../edit/change.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { NormalizedEntry } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'
import { fullSignatureOf } from '../../model/signature.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import { editFile, rewriteFile } from '../edit-file.ts'
import { loadCatalog, type LoadedCatalog } from '../load-catalog.ts'
import type { Agent } from './agents.ts'
import type { WritableScope } from './scope-file.ts'
import { requireTarget, type Target } from './target.ts'
import { planTransfer, type Planned } from './transfer.ts'
import { previewTransfer, writeTransfer, type FileDiff } from './write-transfer.ts'

export interface ConnectRequest {
  readonly agent: Agent
  readonly scope?: WritableScope | undefined
}

export interface Connection {
  readonly target: Target
  /** Empty: the agent is connected already. */
  readonly planned: readonly Planned[]
  readonly diffs: readonly FileDiff[]
  /** Servers of the agent that the gateway has as well. They stay, so the agent sees their tools twice. */
  readonly twice: readonly Twice[]
}

export interface Twice {
  readonly name: string
  readonly file: string
  /** The gateway has the server from this file, and would lose it with the entry. */
  readonly isOnlyThere: boolean
}

const NAME = 'plugboard'

const GATEWAY = { command: 'plugboard', args: ['serve', '--stdio'] }

/** Throws `manage/no-such-scope`, `manage/exists`, and the problems of a file that cannot be understood. */
export async function planConnect(
  world: World,
  loaded: LoadedCatalog,
  request: ConnectRequest,
): Promise<Connection> {
  const target = await requireTarget(world, loaded, request)
  const { catalog } = await loadCatalog(world, { servers: { [NAME]: GATEWAY }, strict: true })
  const entries = catalog.entries.filter(({ entry }) => entry.found.origin.scope === 'dynamic')
  const { planned, left } = await planTransfer(world, loaded, { entries, target })
  if (left.length > 0) throw new ProblemError(left[0]!.problem)
  const twice = findTwice(loaded, target, world.env)
  return { target, planned, diffs: await previewTransfer(world, target, planned), twice }
}

function findTwice({ catalog }: LoadedCatalog, { source }: Target, env: World['env']): readonly Twice[] {
  const theirs = catalog.entries.filter(({ entry }) => entry.found.origin.source === source)
  return theirs.flatMap(({ entry, fate: { kind } }) => {
    const { name, origin } = entry.found
    const isThere =
      kind === 'chosen' ||
      kind === 'duplicate' ||
      (kind === 'shadowed' && isSameAsChosen(catalog, entry, env))
    return isThere ? [{ name, file: origin.file, isOnlyThere: kind === 'chosen' }] : []
  })
}

/** Another server of the same name is not the same server: the user would lose it with the entry. */
function isSameAsChosen({ servers }: Catalog, entry: NormalizedEntry, env: World['env']): boolean {
  const chosen = servers.find(({ name }) => name === entry.found.name)
  return (
    chosen !== undefined &&
    entry.kind === 'definition' &&
    fullSignatureOf(chosen, env) === fullSignatureOf(entry.definition, env)
  )
}

/** Throws `manage/exists`, and the problems of a file that cannot be written. Then nothing is changed. */
export async function connectAgent(
  world: World,
  { state }: Pick<LoadedCatalog['dirs'], 'state'>,
  { target, planned }: Connection,
): Promise<void> {
  const before = textOf(world, target.file)
  const kept = keptFile(world, state, target)
  await rewriteFile(world, { file: kept, within: undefined }, () => toText({ before }))
  // The texts as they were under the lock: what the agent writes before or after is not ours to discard.
  let texts: Kept = { before }
  await writeTransfer(world, target, planned, (edited) => (texts = edited))
  await rewriteFile(world, { file: kept, within: undefined }, () => toText(texts))
}

export type Disconnected =
  /** The file is as it was before, byte for byte. */
  | 'restored'
  /** The file changed meanwhile, so only the gateway was removed. */
  | 'taken-out'
  | 'not-connected'

/** Throws `manage/no-such-scope`, and the problems of a file that cannot be written. */
export async function disconnectAgent(
  world: World,
  loaded: LoadedCatalog,
  request: ConnectRequest,
): Promise<{ readonly target: Target; readonly outcome: Disconnected }> {
  const target = await requireTarget(world, loaded, request)
  const kept = keptFile(world, loaded.dirs.state, target)
  const outcome = await takeOut(world, target, readKept(world, kept))
  world.files.remove(kept)
  return { target, outcome }
}

async function takeOut(world: World, target: Target, kept: Kept | undefined): Promise<Disconnected> {
  const { file } = target
  const now = textOf(world, file)
  if (now === undefined) return 'not-connected'
  if (kept?.after === now) {
    const { before } = kept
    if (before === undefined) {
      if (!world.files.remove(file)) throw new ProblemError(notRemoved(file))
      return 'restored'
    }
    if (await putBack(world, target, { before, after: kept.after })) return 'restored'
  }
  const outcome = await editFile(world, target, (value) => {
    const path = [...target.pathIn(value), NAME]
    return isOurs(valueAt(value, path)) ? [{ kind: 'remove', path }] : []
  })
  return outcome === 'changed' ? 'taken-out' : 'not-connected'
}

/** Restores the file, unless another process wrote it in this very moment. */
async function putBack(
  world: World,
  { file, within }: Target,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<boolean> {
  let isSame = false
  await rewriteFile(world, { file, within }, (text) => {
    isSame = text === after
    return isSame ? before : undefined
  })
  return isSame
}

/** Whatever the agent calls its fields and whatever it added: the entry starts our gateway. */
function isOurs(entry: unknown): boolean {
  const words = isObject(entry) ? Object.values(entry).flat() : []
  return [GATEWAY.command, ...GATEWAY.args].every((word) => words.includes(word))
}

/** The text of a file before and after. Undefined: there was no file. */
interface Kept {
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** One for each file. It may hold secrets, as the file does. */
function keptFile({ paths }: World, state: string, { source, file }: Target): string {
  return paths.join(state, 'connected', `${source}-${sha256(file).slice(0, 12)}.json`)
}

function toText(kept: Kept): string {
  return `${JSON.stringify(kept)}\n`
}

function readKept(world: World, file: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(textOf(world, file) ?? '')
    return isObject(kept) ? kept : undefined
  } catch {
    return undefined // then only the gateway is removed, and the rest stays as it is
  }
}

function textOf(world: World, file: string): string | undefined {
  const read = world.files.read(file)
  return read.kind === 'text' ? read.text : undefined
}

function notRemoved(file: string): Problem {
  return createProblem({ code: 'write/denied', message: 'this file could not be removed', where: { file } })
}
