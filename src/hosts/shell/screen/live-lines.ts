/**
 * live-lines: everything below the finished lines: the partial response, running calls, a question or the input line,
 * and the status line.
 *
 * never  returns as many lines as the terminal has: a full terminal cannot be redrawn in place
 */
import { toPrintable, toPrintableLines } from '../../../base/printable.ts'
import { cutEnd } from '../../shared/width.ts'
import { wrap } from '../../shared/wrap.ts'
import { sayInput } from '../say.ts'
import type { RunningCall, ShellState } from '../state.ts'
import { inputLines, type Drawn } from './input-lines.ts'
import { questionLines } from './question-lines.ts'
import { statusLine } from './status-line.ts'
import { showElapsed, type View } from './view.ts'

export function liveLines(state: ShellState, view: View): Drawn {
  if (state.isOver) return { lines: [] }
  const above = [
    ...answerLines(state, view),
    ...state.calls.flatMap((call) => runningLines(call, state, view)),
    ...workLines(state, view),
    ...queuedLines(state, view),
  ]
  const input = state.question === undefined ? promptLines(state, view) : questionLines(state.question, view)
  const below = [...completionLines(state, view), ...hintLines(state, view), statusLine(state, view)]
  return keepLast([...above, ...input.lines, ...below], {
    cursor: input.cursor === undefined ? undefined : { x: input.cursor.x, y: input.cursor.y + above.length },
    rows: state.size.rows - 1,
  })
}

function keepLast(
  lines: readonly string[],
  { cursor, rows }: { readonly cursor: Drawn['cursor']; readonly rows: number },
): Drawn {
  const gone = Math.max(0, lines.length - Math.max(rows, 3))
  const rest = lines.slice(gone)
  return cursor === undefined || cursor.y < gone
    ? { lines: rest }
    : { lines: rest, cursor: { x: cursor.x, y: cursor.y - gone } }
}

function answerLines({ answer }: ShellState, { paint, columns }: View): readonly string[] {
  if (answer === undefined || answer.text === '') return []
  const lines = wrap(toPrintableLines(answer.text), columns - 2)
  return lines.map((line, i) => `${i === 0 && answer.isFirst ? paint.green('●') : ' '} ${line}`)
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100

function spinner(now: number): string {
  return FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]!
}

function runningLines(
  call: RunningCall,
  { now, question }: ShellState,
  { paint, columns }: View,
): readonly string[] {
  const { name, input, since, isStarted, progress } = call
  const time = isStarted || question === undefined ? showElapsed(now - since) : 'waits for an answer'
  const said = toPrintable(sayInput(input).replace(/\s+/g, ' '))
  const head = cutEnd(`${toPrintable(name)} ${said}`.trimEnd(), columns - time.length - 6)
  const line = `${paint.cyan(spinner(now))} ${head} ${paint.dim(`(${time})`)}`
  return progress === undefined ? [line] : [line, paint.dim(progressLine(progress, columns))]
}

const BAR = 20

/** `  [######--------------] 30% message`. */
export function progressLine(
  { progress, total, message }: NonNullable<RunningCall['progress']>,
  columns: number,
): string {
  const words = typeof message === 'string' ? ` ${toPrintable(message.replace(/\s+/g, ' '))}` : ''
  if (typeof progress !== 'number') return cutEnd(`  ${words}`, columns - 1)
  if (typeof total !== 'number' || total <= 0) return cutEnd(`  ${progress}${words}`, columns - 1)
  const part = Math.min(1, Math.max(0, progress / total))
  const full = Math.round(part * BAR)
  const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR - full)}] ${Math.round(part * 100)}%`
  return cutEnd(`  ${bar}${words}`, columns - 1)
}

function workLines(
  { turn, calls, busy, answer, now, question }: ShellState,
  { paint, columns }: View,
): readonly string[] {
  const toLine = (text: string): string =>
    `${paint.cyan(spinner(now))} ${paint.dim(cutEnd(text, columns - 4))}`
  const command = busy === undefined ? [] : [toLine(toPrintable(busy))]
  if (turn === undefined || question !== undefined) return command
  if (turn.isAborting === true) return [...command, toLine('stopping')]
  if (turn.retryAt !== undefined)
    return [...command, toLine(`asking again in ${showElapsed(turn.retryAt - now + 999)} (Esc stops)`)]
  if (calls.length > 0) return [...command, paint.dim('  (Esc stops)')]
  const verb = answer === undefined ? 'thinking' : 'answering'
  return [...command, toLine(`${verb} ${showElapsed(now - turn.since)} (Esc stops)`)]
}

function queuedLines({ queued }: ShellState, { paint, columns }: View): readonly string[] {
  if (queued.length === 0) return []
  const lines = queued.map((text) => `  queued: ${toPrintable(text.replace(/\s+/g, ' '))}`)
  return [...lines, QUEUED].map((line) => paint.dim(cutEnd(line, columns - 1)))
}

const QUEUED = '  (sent when this turn is over; Esc stops it and gives you the text back)'

function promptLines({ editor }: ShellState, view: View): Drawn {
  const { paint, columns } = view
  const rule = paint.dim('─'.repeat(Math.max(1, columns - 1)))
  const { lines, cursor } = inputLines(editor, { ...view, mark: '>' })
  const shown = editor.text === '' ? [`${lines[0]}${paint.dim(cutEnd(EXAMPLE, columns - 4))}`] : lines
  return { lines: [rule, ...shown], cursor: { x: cursor!.x, y: cursor!.y + 1 } }
}

const EXAMPLE = '(ask something, or /help)'

const SHOWN_ITEMS = 8

function completionLines({ completion }: ShellState, { paint, columns }: View): readonly string[] {
  if (completion === undefined) return []
  const { items, index } = completion
  const first = Math.max(0, Math.min((index ?? 0) - SHOWN_ITEMS + 1, items.length - SHOWN_ITEMS))
  const shown = items.slice(first, first + SHOWN_ITEMS).map((item, i) => {
    const line = cutEnd(`  ${toPrintable(item)}`, columns - 1)
    return first + i === index ? paint.cyan(line) : line
  })
  const rest = items.length - shown.length
  return rest > 0 ? [...shown, paint.dim(`  … ${rest} more`)] : shown
}

function hintLines({ isQuitting }: ShellState, { paint }: View): readonly string[] {
  return isQuitting ? [paint.yellow('Ctrl-C again to quit')] : []
}
