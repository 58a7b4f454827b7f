/**
 * run: `plugboard demo`: the shell with the bundled server; the server alone, for another client; without a terminal, what it
 * has.
 */
import { toPrintableJson } from '../../../base/printable.ts'
import { openBoard, type Board } from '../../../runtime/board.ts'
import type { CommandContext } from '../../shared/context.ts'
import { showPath } from '../../shared/show-path.ts'
import { toTable } from '../../shared/table.ts'
import { runShell } from '../shell.ts'
import { createDemo, DEMO_NAME, demoFolder, type Demo } from './demo.ts'
import { createDemoServer } from './server.ts'
import { serveLines } from './stdio.ts'

const DONE = 0
const INTERRUPTED = 130

export async function runDemo(context: CommandContext): Promise<number> {
  if (context.flags['stdio'] === true) return serve(context)
  if (context.terminal.canAsk && !context.json) {
    return runShell(context, 'on')
  }
  const { dirs } = await context.load({ enabled: false })
  await using board = await openDemoBoard(
    context,
    createDemo(context.world, () => dirs),
  )
  show(context, board, demoFolder(context.world, dirs))
  return DONE
}

async function serve({ world, terminal, ...context }: CommandContext): Promise<number> {
  const { dirs } = await context.load({ enabled: false })
  const end = await serveLines(
    createDemoServer(world, () => demoFolder(world, dirs)),
    terminal,
  )
  return end === 'hung-up' ? DONE : INTERRUPTED
}

async function openDemoBoard({ world, version, load }: CommandContext, demo: Demo): Promise<Board> {
  demo.turn('on')
  return openBoard(world, {
    load: () => load({ strict: true, servers: demo.servers() }),
    inProcess: demo.inProcess,
    client: { name: 'plugboard', version },
    wait: 'all',
    stay: 'once',
    words: 'command',
  })
}

function show({ world, terminal, paint, json }: CommandContext, board: Board, folder: string): void {
  const { offering } = board.snapshot().servers.find(({ name }) => name === DEMO_NAME)!
  const { tools, prompts } = offering!
  const toRow = ({ name, description }: (typeof tools | typeof prompts)[number]): readonly string[] => [
    name,
    String(description ?? ''),
  ]
  if (json) {
    const names = (list: typeof tools | typeof prompts): readonly string[] => list.map(({ name }) => name)
    terminal.out(
      `${toPrintableJson({ server: DEMO_NAME, folder, tools: names(tools), prompts: names(prompts) })}\n`,
    )
    return
  }
  const columns = [{ title: 'tool' }, { title: 'what it does', shrinks: 1, isDetail: true }]
  const lines = [
    ...toTable(columns, tools.map(toRow), { paint, columns: terminal.columns }),
    '',
    `Notes are kept in ${showPath(folder, world)}. Nothing else is touched.`,
    '',
    'to have it as a server of yours:  plugboard add demo -- plugboard demo --stdio',
    'and then:                         plugboard call demo write_note title=hello text=world',
  ]
  terminal.out(`${lines.join('\n')}\n`)
}
