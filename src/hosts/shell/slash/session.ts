/** session: the mode, the model, and the permissions of this session. */
import { toPrintable } from '../../../base/printable.ts'
import { brokenServers, waitingQuestions } from '../../../runtime/trust.ts'
import type { ModelChoice } from '../agent/model.ts'
import { noModel } from '../agent/problems.ts'
import { askTrust } from '../ask-trust.ts'
import type { ShellContext } from '../context.ts'
import { DEMO_NAME } from '../demo/demo.ts'
import { showConfinement } from '../../shared/confinement.ts'
import { showPath } from '../../shared/show-path.ts'
import { showWaiting } from '../../shared/show-waiting.ts'
import { rulesNote, WARNING } from '../../shared/trust-question.ts'
import { runCommandLine } from './command-line.ts'
import { reach } from './servers.ts'

/** Turns it on, and off again. */
export async function plan(context: ShellContext): Promise<void> {
  const isPlan = context.mode.get() === 'plan'
  await context.mode.set(isPlan ? 'default' : 'plan')
  const { plan: by } = (await context.board.permissions()).current()
  if (isPlan && by !== undefined)
    context.note(`plan mode stays: it is set by ${showPath(by.file, context.world)}`)
  else context.note(isPlan ? 'plan mode is off' : 'plan mode: every tool of every server is denied')
}

/** As `plugboard permissions`, and the answers of this session. */
export async function permissions(context: ShellContext, words: readonly string[]): Promise<void> {
  await runCommandLine(context, ['permissions', ...words])
  const isListed = words.length === 0 || words[0] === 'list'
  if (!isListed) return void (await context.board.reload())
  const { grants } = (await context.board.permissions()).current()
  const session = grants.filter(({ until }) => until === 'session')
  const mode = context.mode.get()
  context.print([
    ...(mode === 'default' ? [] : [`this session is in ${mode} mode`]),
    ...session.map(({ server, tool }) => `allowed for this session: ${toPrintable(`${server} ${tool}`)}`),
  ])
}

/** As `plugboard trust`: without words it shows what is undecided. A decision takes effect at once. */
export async function trust(context: ShellContext, words: readonly string[]): Promise<void> {
  const [first, ...rest] = words
  if (first === undefined) return showTrust(context)
  if (first !== 'folder' || rest.length > 0) await runCommandLine(context, ['trust', ...words])
  else {
    const loaded = await context.load()
    if (loaded.catalog.folder.decision === 'trusted')
      context.note('this folder is trusted; `/trust folder --decline` takes that back')
    if (!(await askTrust(context, loaded, 'again'))) return
  }
  await context.board.reload()
}

async function showTrust(context: ShellContext): Promise<void> {
  const { world, paint } = context
  const loaded = await context.load()
  const view = {
    here: world,
    paint,
    columns: context.columns(),
    words: 'slash',
    platform: world.platform,
  } as const
  const questions = waitingQuestions(loaded)
  const broken = brokenServers(loaded).map(({ problem }) => problem)
  context.print([
    ...(questions.length === 0 ? [] : [...WARNING.split('\n'), ...rulesNote(loaded, world), '']),
    ...showWaiting({ questions, broken }, view),
    ...showConfinement(loaded.catalog, world, '/trust folder'),
  ])
}

export async function pins(context: ShellContext, words: readonly string[]): Promise<void> {
  await runCommandLine(context, ['pins', ...words])
}

export async function model(context: ShellContext, [named]: readonly string[]): Promise<void> {
  if (named !== undefined) {
    context.note(`model: ${labelOf(context.model.set(named))}`)
    return
  }
  const now = context.model.get()
  if (now === undefined) context.report([noModel()])
  else context.print([`model: ${labelOf(now)}`, 'another one, from the next prompt on: /model provider/id'])
}

function labelOf({ provider, id }: ModelChoice): string {
  return toPrintable(`${provider}/${id}`)
}

/** The bundled server, for this session. */
export async function demo(context: ShellContext): Promise<void> {
  const isOn = context.demo.isOn()
  context.demo.turn(isOn ? 'off' : 'on')
  await context.board.reload()
  if (!isOn) await reach(context, DEMO_NAME)
}
